#pragma once
class Page;
class TextPage;

namespace scans {

/// The layout of poppler-glib's PopplerPage, unchanged since 2008.
struct PopplerPage {
    void *objectHead[3];
    void *document;
    Page *page;
    int index;
    TextPage *text;
};

/// The inside of a PopplerPage, which is the page `index` of a PopplerDocument; `nullptr` if the layout is different.
inline PopplerPage *inside(void *page, const void *document, int index)
{
    auto *object = static_cast<PopplerPage *>(page);
    return object->document == document && object->index == index ? object : nullptr;
}

} // namespace scans
