#pragma once
#include <stddef.h>

/* One embedded page of the manual. */
struct manual_page {
  const char *name; /* its topic, as in 'woodshed help marks' */
  const unsigned char *bytes;
  size_t length;
};

extern const struct manual_page manual_pages[];
extern const size_t manual_pages_count;

/* The start of the table, as a pointer that Swift can import. */
static inline const struct manual_page *woodshed_manual_pages(void) { return manual_pages; }
