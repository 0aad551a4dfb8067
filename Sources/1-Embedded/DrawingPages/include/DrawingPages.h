#pragma once
#include <stddef.h>

/* One embedded file of the viewer's drawing tools, named like those in ViewerPages. */
struct drawing_page {
  const char *name;
  const unsigned char *bytes;
  size_t length;
};

extern const struct drawing_page drawing_pages[];
extern const size_t drawing_pages_count;

/* The start of the table, as a pointer that Swift can import. */
static inline const struct drawing_page *woodshed_drawing_pages(void) { return drawing_pages; }
