#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What poppler-glib does not offer.
 *
 * First: pages of a PDF that are one image and nothing else, drawn from the image's own rows.
 *
 * Nothing here throws or aborts: what cannot be drawn this way is refused, and left to the code that draws any page.
 * poppler-glib must have the same PDF open for as long as this lives: poppler's global state is then poppler-glib's. */
typedef struct woodshed_scans woodshed_scans;

/* Whether poppler's own classes are known to this build; if not, nothing here does anything, and poppler-glib draws every page. */
int woodshed_scans_are_known(void);
/* Whether these bytes can contain an image at all; costs a search through them. */
int woodshed_scans_possible(const void *bytes, size_t count);
/* Opens a PDF, whose bytes must stay where they are; NULL if it does not open. */
woodshed_scans *woodshed_scans_open(const void *bytes, size_t count);
void woodshed_scans_close(woodshed_scans *scans);

/* Checks whether a page, counted from 0, is a scan that can be drawn with this many pixels per point; 1 if it is. */
int woodshed_scans_find(woodshed_scans *scans, int page, int width, int height, double across, double down);
/* Whose decoder drew an image. An image that is odd in any way is left to poppler, and drawn again. */
typedef enum woodshed_scan_decoder {
    WOODSHED_SCAN_NOT_DRAWN,
    WOODSHED_SCAN_BY_OURS,
    WOODSHED_SCAN_BY_POPPLER,
} woodshed_scan_decoder;

/* Draws the page that was found last into words of 0xXXRRGGBB, the highest byte undefined, `stride` words per row. */
woodshed_scan_decoder woodshed_scans_draw(woodshed_scans *scans, uint32_t *words, size_t stride);

/* Tells a PopplerPage, the page `index` of a PopplerDocument, that its text need not be laid out while it is drawn. */
void woodshed_page_without_text(void *page, void *document, int index);

/* Whether a PopplerPage, the page `index` of a PopplerDocument, names anything whose colours depend on what is below the page:
 * then it has to be drawn on nothing, and laid on paper afterwards. Also 1 if that cannot be found out. */
int woodshed_page_asks_for_paper(void *page, void *document, int index);

/* Whether a PopplerPage, the page `index` of a PopplerDocument, names content that the file does not have. */
int woodshed_page_lacks_content(void *page, void *document, int index);

/* Asks for the page after a PopplerPage, which is the last one of its PopplerDocument by the file's count. poppler gives a message
 * if there is another page, or if it could not follow the whole tree. */
void woodshed_look_after_page(void *page, void *document, int index);

/* A PDF whose page tree is rewritten so that poppler can reach every page in it. */
typedef struct woodshed_pages woodshed_pages;
/* NULL if that would give no more than the first `readable` pages, which poppler can reach already. Whatever is not a page is
 * replaced by an empty one, as long as the file says that there are more. */
woodshed_pages *woodshed_pages_mend(const void *bytes, size_t count, int readable);
void woodshed_pages_close(woodshed_pages *pages);
/* The PDF; it is freed along with `pages`. */
const void *woodshed_pages_bytes(const woodshed_pages *pages, size_t *count);
/* How many pages there are now, and how many the file claims to have; 0 if it does not say. */
int woodshed_pages_count(const woodshed_pages *pages);
int woodshed_pages_told(const woodshed_pages *pages);
/* The empty ones among them, counted from 0, in order. */
size_t woodshed_pages_missing_count(const woodshed_pages *pages);
int woodshed_pages_missing(const woodshed_pages *pages, size_t index);

#ifdef __cplusplus
}
#endif
