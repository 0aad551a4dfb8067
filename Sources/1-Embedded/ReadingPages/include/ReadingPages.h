#pragma once
#include <stddef.h>

/* One embedded file of the viewer's reading view, named like those in ViewerPages. */
struct reading_page {
  const char *name;
  const unsigned char *bytes;
  size_t length;
};

extern const struct reading_page reading_pages[];
extern const size_t reading_pages_count;

/* The start of the table, as a pointer that Swift can import. */
static inline const struct reading_page *woodshed_reading_pages(void) { return reading_pages; }
