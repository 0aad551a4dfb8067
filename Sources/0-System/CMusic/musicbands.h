#pragma once
#include "musicblobs.h"

/* Free ink, which touches no staff, in bands: a line of words, of chord names, of marks. */

enum { MOST_BANDS = 48, MOST_BINS = 256 };

/* How far something reaches up and down at each place across the page. */
struct skyline {
  int top[MOST_BINS], bottom[MOST_BINS];
  int y0, y1, x0, x1;
};

struct zone {
  int above, below;  /* systems, or -1 */
};

/* Free ink at one height: a line of words, of chord names, of marks. */
struct band {
  struct skyline reach;
  int count, ink_width;
};

struct layout {
  struct found_music *found;
  struct blobs blobs;
  struct skyline *reaches;  /* of each system */
  struct band *bands;
  int band_count, bin_width, bins;
  int *order;
  /* The `members` blobs of the present zone come first in the order; `band_of` has the band of each. */
  int *band_of, members;
  /* The greatest number of bands found below a system that another system follows; -1 if there is none so far. */
  int most_words;
  float space;
};

enum heading { NO_HEADING, LIKE_HEADING, SURELY_HEADING };

void clear_skyline(struct skyline *line, int bins);
void widen_skyline(struct skyline *line, const struct layout *layout, int x0, int x1, int y0, int y1);
void add_skyline(struct skyline *line, const struct skyline *other, int bins);
/* Puts the first `count` blobs of the order into bands, from the top. */
void make_bands(struct layout *layout, int count);
/* The white between two skylines, in staff spaces; 99 if there is none to measure. `white_within` looks for the least white at any place
 * across the page where the upper one is above the lower one; `white_across` compares only the lowest row of one with the highest row of
 * the other. */
float white_within(const struct layout *layout, const struct skyline *upper, const struct skyline *lower);
float white_across(const struct layout *layout, const struct skyline *upper, const struct skyline *lower);
/* How much a band is like a line of words, from -0.4 to 1. */
float wordiness(const struct band *band, const struct found_system *system);
/* Whether a band is a title or credits; `gap` is the white between it and the system. */
enum heading heading_of(const struct layout *layout, const struct band *band, float gap, bool is_first);
