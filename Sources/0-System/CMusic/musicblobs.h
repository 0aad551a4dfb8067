#pragma once
#include "musicparts.h"

/* Connected ink, on a grid whose cells are a third of a staff space wide and a sixth high, or larger on very large pages. */

struct blob {
  /* In pixels, from the first to the one after the last. */
  int x0, y0, x1, y1;
  int cells;
  /* The number of the system that the blob touches or belongs to, or one of the constants below. */
  int system;
};

enum { BLOB_FREE = -1, BLOB_BETWEEN = -2, BLOB_SPECK = -3, BLOB_BLOCK = -4 };

struct blob_run {
  int32_t x0, x1, y;
  int32_t blob;
};

struct blobs {
  struct blob_run *runs;
  struct blob *all;
  int run_count, count;
  int cell_width, cell_height;
};

bool find_blobs(const struct page_bits *bits, float space, struct blobs *blobs);
void free_blobs(struct blobs *blobs);
