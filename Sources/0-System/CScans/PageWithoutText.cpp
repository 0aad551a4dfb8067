// While poppler-glib draws a page, it also lays out the page's text for selections. They are not needed here, and the layout takes an
// eighth of the time. poppler-glib skips the layout for a page that has a text already, so this code gives the page an empty text.
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
