// poppler-glib turns the areas of links as a page is turned, but not the places that they lead to, and does not report how a page is turned.
#include "KnownPoppler.hpp"
#if WOODSHED_KNOWS_POPPLER
#include "CScans.h"
#include "PopplerPage.hpp"

#include <Page.h>

int woodshed_page_turn(void *page, void *document, int index)
{
    const scans::PopplerPage *const object = scans::inside(page, document, index);
    return object != nullptr ? object->page->getRotate() : -1;
}

#endif
