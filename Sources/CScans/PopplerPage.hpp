#pragma once
class Page;
class TextPage;

namespace scans {

/// A PopplerPage as poppler-glib has declared it, unchanged, since 2008.
struct PopplerPage {
    void *objectHead[3];
    void *document;
    Page *page;
    int index;
    TextPage *text;
};

/// What a PopplerPage, the page `index` of a PopplerDocument, is inside; `nullptr` if that is laid out in another way.
inline PopplerPage *inside(void *page, const void *document, int index)
{
    auto *object = static_cast<PopplerPage *>(page);
    return object->document == document && object->index == index ? object : nullptr;
}

} // namespace scans
