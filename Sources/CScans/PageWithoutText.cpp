// poppler-glib lays out a page's text while it draws, for selections that nobody makes here; that takes an eighth of the time.
// It leaves the text alone where the page has one already, so an empty one is put there before.
#include "CScans.h"
#include "PopplerPage.hpp"

#include <TextOutputDev.h>

void woodshed_page_without_text(void *page, void *document, int index)
{
    scans::PopplerPage *const object = scans::inside(page, document, index);
    // Else it is left as it is, and only takes longer.
    if (object != nullptr && object->text == nullptr) {
        // The page lets go of it when it ends.
        object->text = new TextPage(false);
    }
}
