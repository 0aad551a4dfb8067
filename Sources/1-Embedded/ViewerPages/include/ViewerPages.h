#pragma once
#include <stddef.h>

/* One embedded file of the viewer's browser side. */
struct viewer_page {
  const char *name; /* after the folder of its layer, if it is in one, as in its address, /assets/<name>; index.html is the shell */
  const unsigned char *bytes;
  size_t length;
};

extern const struct viewer_page viewer_pages[];
extern const size_t viewer_pages_count;

/* The start of the table, as a pointer that Swift can import. */
static inline const struct viewer_page *woodshed_viewer_pages(void) { return viewer_pages; }
