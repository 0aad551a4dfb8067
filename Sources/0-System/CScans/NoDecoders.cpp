// Replaces all code that needs poppler's own classes in builds that do not know them: poppler-glib alone draws each page. That is slower
// for scans, and a damaged file has only the pages that poppler itself can find.
#include "CScans.h"
#include "KnownPoppler.hpp"

#if !WOODSHED_KNOWS_POPPLER

int woodshed_scans_are_known(void)
{
    return 0;
}

int woodshed_scans_possible(const void *, size_t)
{
    return 0;
}

woodshed_scans *woodshed_scans_open(const void *, size_t)
{
    return nullptr;
}

void woodshed_scans_close(woodshed_scans *) {}

int woodshed_scans_find(woodshed_scans *, int, int, int, double, double)
{
    return 0;
}

woodshed_scan_decoder woodshed_scans_draw(woodshed_scans *, uint32_t *, size_t)
{
    return WOODSHED_SCAN_NOT_DRAWN;
}

void woodshed_page_without_text(void *, void *, int) {}

int woodshed_page_asks_for_paper(void *, void *, int)
{
    return 1;
}

int woodshed_page_turn(void *, void *, int)
{
    return -1;
}

int woodshed_page_lacks_content(void *, void *, int)
{
    return 0;
}

void woodshed_request_page_after(void *, void *, int) {}

woodshed_pages *woodshed_pages_mend(const void *, size_t, int)
{
    return nullptr;
}

void woodshed_pages_close(woodshed_pages *) {}

const void *woodshed_pages_bytes(const woodshed_pages *, size_t *count)
{
    *count = 0;
    return nullptr;
}

int woodshed_pages_count(const woodshed_pages *)
{
    return 0;
}

int woodshed_pages_claimed(const woodshed_pages *)
{
    return 0;
}

size_t woodshed_pages_missing_count(const woodshed_pages *)
{
    return 0;
}

int woodshed_pages_missing(const woodshed_pages *, size_t)
{
    return 0;
}

#endif
