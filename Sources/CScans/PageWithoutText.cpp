// poppler-glib lays out a page's text while it draws, for selections that nobody makes here; that takes an eighth of the time.
// It leaves the text alone where the page has one already, so an empty one is put there before.
#include "CScans.h"

#include <TextOutputDev.h>

namespace {

/// A PopplerPage as poppler-glib has declared it, unchanged, since 2008.
struct PageObject {
    void *objectHead[3];
    void *document;
    void *page;
    int index;
    TextPage *text;
};

} // namespace

void woodshed_page_without_text(void *page, void *document, int index)
{
    auto *object = static_cast<PageObject *>(page);
    // Of a page that is laid out in another way these would not all be so; then it is left as it is, and only takes longer.
    if (object->document == document && object->index == index && object->text == nullptr) {
        // The page lets go of it when it ends.
        object->text = new TextPage(false);
    }
}
