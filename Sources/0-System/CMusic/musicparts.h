#pragma once
#include "CMusic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The steps of finding music. They work on a straightened copy of the page with one bit per pixel: y' = y - slope * x + drop, and then
 * x' = x + slope * y' + push, which for small angles is a rotation. */

enum {
  LEAST_SIDE = 64,
  MOST_SIDE = 20000,
  MOST_PIXELS = 120000000,
  MOST_LINES = 6,
  MOST_FILAMENTS = 2048,
};

struct page_bits {
  uint64_t *words;
  size_t width, height, row;
};

struct page_turn {
  float slope, drop, push;
};

/* A staff on the straightened page. */
struct found_staff {
  int x0, x1;
  /* Heights at the left end of the page and change per pixel. */
  float top, top_slope, bottom, bottom_slope;
  float space, thickness;
  /* How far bar lines reach beyond the outer lines; 0 unless the staff has only one line. */
  float beyond;
  float confidence;
  int lines;
  int system;
  bool is_weak;
};

struct found_bar {
  float x, x_below;
  int system;
  uint64_t staves;
  bool is_heavy;
  float confidence;
};

struct found_system {
  int first, count;
  int x0, x1;
  /* The limits of the staves' lines. */
  float staff_top, staff_bottom, space;
  /* The limits of everything that belongs to the system, and the cuts. */
  float top, bottom, cut_above, cut_below;
  int ink_x0, ink_x1;
  float join_confidence, above_confidence, below_confidence;
  uint8_t doubts;
};

struct found_block {
  int x0, y0, x1, y1;
  int where;
};

struct found_music {
  struct page_bits bits;
  struct page_turn turn;
  int staff_count, system_count, bar_count, block_count;
  int ink_x0, ink_y0, ink_x1, ink_y1;
  /* Whether the page is to be shown turned by its slope, so that its staves are level. */
  bool is_turned;
  /* For each row of the page as it is shown, whether there is more on it than specks. */
  bool *is_inked;
  size_t page_width, page_height;
  uint8_t doubts;
  struct found_staff staves[WOODSHED_MOST_STAVES];
  struct found_system systems[WOODSHED_MOST_SYSTEMS];
  struct found_bar bars[WOODSHED_MOST_BARS];
  struct found_block blocks[WOODSHED_MOST_BLOCKS];
};

static inline float back_x(const struct page_turn *turn, float x, float y) { return x - turn->push - turn->slope * y; }
static inline float back_y(const struct page_turn *turn, float x, float y) {
  return y - turn->drop + turn->slope * back_x(turn, x, y);
}

/* The height of a row of the straightened page once the given image is turned around its middle. */
static inline float shown_y(const struct found_music *found, float y) {
  const float slope = found->turn.slope, middle = (float)found->page_height / 2;
  const float crossed = y - found->turn.drop + slope * (float)found->page_width / 2;
  return middle + (crossed - middle) / sqrtf(1 + slope * slope);
}

static inline int least(int a, int b) { return a < b ? a : b; }
static inline int most(int a, int b) { return a > b ? a : b; }
/* Not with floorf, which is a call into the library on processors without SSE 4.1, which our builds do not require. */
static inline int nearest(float number) {
  const int whole = (int)(number + 0.5F);
  return whole - ((float)whole > number + 0.5F);
}
static inline int within(int number, int low, int high) { return number < low ? low : number > high ? high : number; }

static inline bool has_ink(const struct page_bits *bits, int x, int y) {
  if (x < 0 || y < 0 || x >= (int)bits->width || y >= (int)bits->height) return false;
  return bits->words[(size_t)y * bits->row + (size_t)x / 64] >> ((size_t)x % 64) & 1;
}

/* 64 pixels of a row, from any place; pixels outside the page count as white. Every row has a spare word at its end. */
static inline uint64_t pixels_from(const struct page_bits *bits, int x, int y) {
  if (y < 0 || y >= (int)bits->height || x <= -64 || x >= (int)bits->width) return 0;
  const uint64_t *row = bits->words + (size_t)y * bits->row;
  if (x < 0) return row[0] << -x;
  const size_t word = (size_t)x / 64, shift = (size_t)x % 64;
  return shift == 0 ? row[word] : row[word] >> shift | row[word + 1] << (64 - shift);
}

static inline float staff_top(const struct found_staff *staff, float x) { return staff->top + staff->top_slope * x; }
static inline float staff_bottom(const struct found_staff *staff, float x) { return staff->bottom + staff->bottom_slope * x; }
static inline float staff_line(const struct found_staff *staff, int line, float x) {
  const float top = staff_top(staff, x);
  return staff->lines < 2 ? top : top + (staff_bottom(staff, x) - top) * (float)line / (float)(staff->lines - 1);
}

bool find_page_ink(const uint8_t *gray, size_t width, size_t height, size_t stride, struct page_bits *bits, uint8_t *doubts);
bool find_page_slope(const struct page_bits *bits, float *found);
bool straighten_page(const struct page_bits *bits, float slope, struct page_bits *straight, struct page_turn *turn);
bool find_staves(struct found_music *found);
void find_systems(struct found_music *found);
void find_bars(struct found_music *found);
void remove_dividers(struct found_music *found);
bool find_extents(struct found_music *found);

/* The whole examination of an image. Whatever it returns, `free_page_music` frees what it took. */
bool find_page_music(const uint8_t *gray, size_t width, size_t height, size_t stride, struct found_music *found);
void free_page_music(struct found_music *found);
void report_music(const struct found_music *found, struct woodshed_page_music *music);

/* The number of columns of a system's profiles, and the profile of a staff: three bytes a column. */
int profile_columns(const struct found_system *system);
bool write_profile(const struct found_music *found, int staff, uint8_t *bytes);
