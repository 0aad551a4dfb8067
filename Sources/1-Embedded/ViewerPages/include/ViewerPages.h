#pragma once
#include <stddef.h>

/* One embedded file of the viewer's browser side. */
struct viewer_page {
  const char *name; /* the address is /assets/<name>, without the folder of the layer; index.html is the shell */
  const unsigned char *bytes;
  size_t length;
};

extern const struct viewer_page viewer_pages[];
extern const size_t viewer_pages_count;

/* The start of the table, as a pointer that Swift can import. */
static inline const struct viewer_page *woodshed_viewer_pages(void) { return viewer_pages; }
