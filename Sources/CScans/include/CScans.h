#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What poppler-glib does not let out.
 *
 * First: pages of a PDF that are one image and nothing else, drawn from the image's own rows.
 *
 * Nothing here throws or aborts: what cannot be drawn this way is refused, and left to who draws any page.
 * poppler-glib has to have the same PDF open for as long as this lives: poppler's global state is then its own. */
typedef struct woodshed_scans woodshed_scans;

/* Whether these bytes can hold an image at all; costs a search through them. */
int woodshed_scans_possible(const void *bytes, size_t count);
/* Opens a PDF whose bytes stay where they are; NULL if it does not open. */
woodshed_scans *woodshed_scans_open(const void *bytes, size_t count);
void woodshed_scans_close(woodshed_scans *scans);

/* Looks whether a page, from 0, is a scan that can be drawn with so many pixels a point; 1 if it is. */
int woodshed_scans_find(woodshed_scans *scans, int page, int width, int height, double across, double down);
/* Who decoded an image that was drawn. Whatever is odd about one is left to poppler, and drawn anew. */
typedef enum woodshed_scan_decoder {
    WOODSHED_SCAN_NOT_DRAWN,
    WOODSHED_SCAN_BY_OURS,
    WOODSHED_SCAN_BY_POPPLER,
} woodshed_scan_decoder;

/* Draws the page that was found last into words of 0xXXRRGGBB, the highest byte undefined, `stride` words a row. */
woodshed_scan_decoder woodshed_scans_draw(woodshed_scans *scans, uint32_t *words, size_t stride);

/* Tells a PopplerPage, the page `index` of a PopplerDocument, that its text need not be laid out while it is drawn. */
void woodshed_page_without_text(void *page, void *document, int index);

/* Whether a PopplerPage, the page `index` of a PopplerDocument, names anything whose colours depend on what lies below the page:
 * then it has to be drawn on nothing, and laid on paper afterwards. 1 also where that cannot be told. */
int woodshed_page_asks_for_paper(void *page, void *document, int index);

#ifdef __cplusplus
}
#endif
