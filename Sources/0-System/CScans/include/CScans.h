#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that poppler-glib does not offer.
 *
 * The first functions draw pages that are one image and nothing else, from the image's own rows.
 *
 * No function throws or aborts: pages that cannot be drawn in this way are refused, and left to code that draws any page. While a
 * `woodshed_scans` exists, poppler-glib must have the same PDF open, so that poppler's global state is the one that poppler-glib set up:
 * it determines where messages go. */
typedef struct woodshed_scans woodshed_scans;

/* Whether poppler's own classes are known to this build; if not, these functions do nothing, and poppler-glib draws every page. */
int woodshed_scans_are_known(void);
/* Whether these bytes can contain an image; searches all of them. */
int woodshed_scans_possible(const void *bytes, size_t count);
/* Opens a PDF, whose bytes must stay valid until it is closed; NULL if it cannot be opened. */
woodshed_scans *woodshed_scans_open(const void *bytes, size_t count);
void woodshed_scans_close(woodshed_scans *scans);

/* Returns 1 if a page, counted from 0, is a scan that can be drawn as `width` by `height` pixels, with `across` and `down` pixels per
 * point; otherwise 0. */
int woodshed_scans_find(woodshed_scans *scans, int page, int width, int height, double across, double down);
/* Whose decoder drew an image. An image with any irregularity is left to poppler, and drawn again. */
typedef enum woodshed_scan_decoder {
    WOODSHED_SCAN_NOT_DRAWN,
    WOODSHED_SCAN_BY_OURS,
    WOODSHED_SCAN_BY_POPPLER,
} woodshed_scan_decoder;

/* Draws the page found last into words of 0xXXRRGGBB with an undefined top byte, `stride` words per row. */
woodshed_scan_decoder woodshed_scans_draw(woodshed_scans *scans, uint32_t *words, size_t stride);

/* Keeps poppler-glib from laying out the text of a PopplerPage, the page `index` of a PopplerDocument, while drawing it. */
void woodshed_page_without_text(void *page, void *document, int index);

/* Whether a PopplerPage, the page `index` of a PopplerDocument, names anything whose colours depend on what is below the page: it
 * must then be drawn on nothing, and laid on paper afterwards. Also 1 if that cannot be determined. */
int woodshed_page_asks_for_paper(void *page, void *document, int index);

/* How far a PopplerPage, the page `index` of a PopplerDocument, is turned clockwise: 0, 90, 180 or 270; -1 if that is unknown. */
int woodshed_page_turn(void *page, void *document, int index);

/* Whether a PopplerPage, the page `index` of a PopplerDocument, names content that is missing from the file. */
int woodshed_page_lacks_content(void *page, void *document, int index);

/* Requests the page after a PopplerPage, which is the last page of its PopplerDocument by the file's count. poppler reports an error if
 * there is another page, or if it could not follow the whole tree. */
void woodshed_request_page_after(void *page, void *document, int index);

/* A PDF with a rewritten page tree, so that poppler can reach every page. */
typedef struct woodshed_pages woodshed_pages;
/* Rewrites a PDF's page tree. NULL if that is impossible, or would give only the first `readable` pages, which poppler can
 * reach already. Kids that are not pages become empty pages, up to the number of pages that the file claims; all of them if
 * the file claims no number. */
woodshed_pages *woodshed_pages_mend(const void *bytes, size_t count, int readable);
void woodshed_pages_close(woodshed_pages *pages);
/* The bytes of the PDF, which are freed with `pages`. */
const void *woodshed_pages_bytes(const woodshed_pages *pages, size_t *count);
/* The number of pages in the rewritten PDF. `claimed` returns the number of pages that the file claims to have; 0 if it claims none. */
int woodshed_pages_count(const woodshed_pages *pages);
int woodshed_pages_claimed(const woodshed_pages *pages);
/* The empty pages of the rewritten PDF, counted from 0, in order. */
size_t woodshed_pages_missing_count(const woodshed_pages *pages);
int woodshed_pages_missing(const woodshed_pages *pages, size_t index);

#ifdef __cplusplus
}
#endif
