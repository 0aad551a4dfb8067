// poppler-glib lays out a page's text while it draws, for selections, which are not needed here; that takes an eighth of the
// time. It does not do so if the page has a text already, so this gives the page an empty one.
#include "KnownPoppler.hpp"
#if WOODSHED_KNOWS_POPPLER
#include "CScans.h"
#include "PopplerPage.hpp"

#include <TextOutputDev.h>

void woodshed_page_without_text(void *page, void *document, int index)
{
    scans::PopplerPage *const object = scans::inside(page, document, index);
    // If the layout is unknown, leave the page unchanged: drawing it then only takes longer.
    if (object != nullptr && object->text == nullptr) {
        // The page frees the text with itself.
        object->text = new TextPage(false);
    }
}

#endif
