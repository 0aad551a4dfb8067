#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* PDFs made of other PDFs, object by object: no page is drawn or written anew, so what is in them stays as it was.
 *
 * Nothing here throws. What fails returns -1 or NULL, and why is in the `woodshed_why` that every call takes. Bytes that are handed over
 * must stay where they are until whatever was made of them is closed. */
typedef struct woodshed_why {
    char text[256];
    /* Whether a password is asked for. */
    int isLocked;
} woodshed_why;

/* A rectangle, as PDFs have it. */
typedef struct woodshed_box {
    double left, bottom, right, top;
} woodshed_box;

/* From one system of coordinates to another, as PDFs have it. */
typedef struct woodshed_matrix {
    double a, b, c, d, x, y;
} woodshed_matrix;

/* One PDF, to which marks can be added. */
typedef struct woodshed_part woodshed_part;

woodshed_part *woodshed_part_open(const void *bytes, size_t count, woodshed_why *why);
void woodshed_part_close(woodshed_part *part);
int woodshed_part_pages(const woodshed_part *part);
/* Whether something in it had to be guessed, because it is damaged. */
int woodshed_part_is_damaged(const woodshed_part *part);
/* Takes a PDF whose pages are laid over those of this one. */
int woodshed_part_take_sheets(woodshed_part *part, const void *bytes, size_t count, woodshed_why *why);
/* By how many degrees a page is turned to the right when it is shown: 0, 90, 180 or 270. */
int woodshed_part_rotation(woodshed_part *part, int page);
/* Paints a sheet over a page; `place` leads from the sheet's coordinates to the page's. */
int woodshed_part_lay(woodshed_part *part, int page, woodshed_matrix place, int sheet, woodshed_why *why);
/* Adds an annotation that looks like what is in `box` on a sheet; the rest of it is in `entries`, in the syntax of PDFs. */
int woodshed_part_annotate(
    woodshed_part *part, int page, woodshed_matrix place, int sheet, woodshed_box box, const char *entries, woodshed_why *why);
/* Writes it to an open file, from where that stands. */
int woodshed_part_write(woodshed_part *part, int descriptor, woodshed_why *why);

/* The annotations of one of its pages, whatever is in them; to be closed before the part is. */
typedef struct woodshed_annotations woodshed_annotations;

woodshed_annotations *woodshed_annotations_open(woodshed_part *part, int page, woodshed_why *why);
void woodshed_annotations_close(woodshed_annotations *annotations);
int woodshed_annotations_count(const woodshed_annotations *annotations);
/* What one of them has at the end of a path like "/BS/W" or "/InkList/0". Nothing of this fails: something else there is as good as nothing.
 *
 * How many items the list there has; -1 if there is none. */
int woodshed_annotation_items(woodshed_annotations *annotations, int number, const char *path);
/* The number there, or all those in the list there. At most `most` are written; returns how many there are, -1 if anything is no number. */
int woodshed_annotation_numbers(woodshed_annotations *annotations, int number, const char *path, double *numbers, int most);
/* The text or name there, in UTF-8, until the next call; NULL if there is none. */
const char *woodshed_annotation_text(woodshed_annotations *annotations, int number, const char *path);

/* Several PDFs as one. */
typedef struct woodshed_binding woodshed_binding;

woodshed_binding *woodshed_binding_open(woodshed_why *why);
void woodshed_binding_close(woodshed_binding *binding);
/* Takes a PDF; returns its number. */
int woodshed_binding_take(woodshed_binding *binding, const void *bytes, size_t count, woodshed_why *why);
/* Adds pages of one that was taken, in this order, each as often as it is named; all of them if `pages` is NULL. May be done again. Returns
 * how many were added. */
int woodshed_binding_add(woodshed_binding *binding, int number, const int *pages, size_t count, woodshed_why *why);
/* Adds a bookmark to the page that is added next, below the last one of a lower level; levels begin at 0. */
int woodshed_binding_mark(woodshed_binding *binding, int level, const char *title, woodshed_why *why);
int woodshed_binding_write(woodshed_binding *binding, const char *title, int descriptor, woodshed_why *why);

#ifdef __cplusplus
}
#endif
