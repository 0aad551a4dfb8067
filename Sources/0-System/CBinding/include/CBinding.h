#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes PDFs from other PDFs, object by object: no page is drawn or rewritten, so the contents stay as they were.
 *
 * No function throws. Unless its comment states otherwise, a function that fails returns -1 or NULL, and writes the reason to its
 * `woodshed_why` if it has one. Bytes that are passed must stay valid until the object made from them is closed. */
typedef struct woodshed_why {
    char text[256];
    /* Whether the PDF requires a password. */
    int isLocked;
} woodshed_why;

/* A rectangle, as in PDFs. */
typedef struct woodshed_box {
    double left, bottom, right, top;
} woodshed_box;

/* A transformation of coordinates, as in PDFs. */
typedef struct woodshed_matrix {
    double a, b, c, d, x, y;
} woodshed_matrix;

/* One PDF, to which marks can be added. */
typedef struct woodshed_part woodshed_part;

woodshed_part *woodshed_part_open(const void *bytes, size_t count, woodshed_why *why);
void woodshed_part_close(woodshed_part *part);
int woodshed_part_pages(const woodshed_part *part);
/* Whether the PDF is damaged, so that some of it had to be guessed. */
int woodshed_part_is_damaged(const woodshed_part *part);
/* Sets the PDF whose pages are the part's sheets: pages with marks that can be laid over the part's pages. Replaces any earlier
 * sheets. */
int woodshed_part_take_sheets(woodshed_part *part, const void *bytes, size_t count, woodshed_why *why);
/* How far a page is turned clockwise when it is shown, in degrees from 0 to 359: in a valid PDF, a multiple of 90. 0 if unreadable. */
int woodshed_part_rotation(woodshed_part *part, int page);
/* Paints a sheet over a page; `place` transforms the sheet's coordinates into the page's. */
int woodshed_part_lay(woodshed_part *part, int page, woodshed_matrix place, int sheet, woodshed_why *why);
/* Adds an annotation that looks like the area `box` of a sheet. `entries` are the annotation's other entries, in PDF syntax. */
int woodshed_part_annotate(
    woodshed_part *part, int page, woodshed_matrix place, int sheet, woodshed_box box, const char *entries, woodshed_why *why);
/* Writes the PDF to an open file, from the current position. */
int woodshed_part_write(woodshed_part *part, int descriptor, woodshed_why *why);

/* All annotations of a page, of any kind; close them before the part. */
typedef struct woodshed_annotations woodshed_annotations;

woodshed_annotations *woodshed_annotations_open(woodshed_part *part, int page, woodshed_why *why);
void woodshed_annotations_close(woodshed_annotations *annotations);
int woodshed_annotations_count(const woodshed_annotations *annotations);
/* The next three functions read an annotation's object at a path like "/BS/W" or "/InkList/0". An object of
 * another type counts as missing.
 *
 * The number of items in the list at the path; -1 if there is no list. */
int woodshed_annotation_items(woodshed_annotations *annotations, int number, const char *path);
/* Writes the number at the path, or the first `most` numbers of the list there. Returns how many numbers there are, which may be more
 * than `most`; -1 if there are none, or if an item to be written is not a number. */
int woodshed_annotation_numbers(woodshed_annotations *annotations, int number, const char *path, double *numbers, int most);
/* The text or name at the path, in UTF-8, valid until the next call; NULL if there is none. */
const char *woodshed_annotation_text(woodshed_annotations *annotations, int number, const char *path);

/* Several PDFs bound into one. */
typedef struct woodshed_binding woodshed_binding;

woodshed_binding *woodshed_binding_open(woodshed_why *why);
void woodshed_binding_close(woodshed_binding *binding);
/* Reads a PDF, so that its pages can be added later; returns its number. */
int woodshed_binding_read(woodshed_binding *binding, const void *bytes, size_t count, woodshed_why *why);
/* Adds pages of a PDF that was read, in this order, each as often as it is listed; all pages if `pages` is NULL. Can be called
 * repeatedly. Returns the number of added pages. */
int woodshed_binding_add(woodshed_binding *binding, int number, const int *pages, size_t count, woodshed_why *why);
/* Adds a bookmark to a page, counted from 0, below the last bookmark of a lower level; levels begin at 0. The page may be added later; the
 * bookmark is dropped if it is not. */
int woodshed_binding_mark(woodshed_binding *binding, int level, const char *title, int page, woodshed_why *why);
int woodshed_binding_write(woodshed_binding *binding, const char *title, int descriptor, woodshed_why *why);

#ifdef __cplusplus
}
#endif
