#pragma once
#include "musicparts.h"

/* Long, thin, nearly horizontal lines of ink, as the lines of staves are. */

enum { LEAST_STRIPS = 3 };

/* A line that was followed from strip to strip. */
struct filament {
  int first, last, count;
  float last_y, drift, thickness;
  double sum_x, sum_y, sum_xx, sum_xy;
  /* The straight line that fits it best. */
  float at_zero, slope;
  bool is_used;
};

struct strips {
  uint8_t *inks;
  int width, count, rows;
};

struct search {
  const struct page_bits *bits;
  struct strips strips;
  struct filament *filaments;
  int *order;
  int count;
};

static inline float height_at(const struct filament *filament, float x) { return filament->at_zero + filament->slope * x; }

/* Finds the page's lines, ordered by height; `search` has room for them. Returns false if there is no memory. */
bool find_lines(struct search *search);
