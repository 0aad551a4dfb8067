// poppler-glib lays out a page's text while it draws, for selections that nobody makes here; that takes an eighth of the time. It does
// not do so if the page already has a text, so an empty one is put there first.
#include "KnownPoppler.hpp"
#if WOODSHED_KNOWS_POPPLER
#include "CScans.h"
#include "PopplerPage.hpp"

#include <TextOutputDev.h>

void woodshed_page_without_text(void *page, void *document, int index)
{
    scans::PopplerPage *const object = scans::inside(page, document, index);
    // Otherwise the page is left as it is, and only takes longer.
    if (object != nullptr && object->text == nullptr) {
        // The page releases it when it is freed.
        object->text = new TextPage(false);
    }
}

#endif
