#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the music on a page from its pixels alone: staves, the systems that they form, bar lines, and how far up and down each
 * system's own material reaches, so that the page can be cut between systems. Results that are not certain are marked as doubtful.
 * All heights and distances are in pixels of the given image, from its top left corner. */

enum {
  WOODSHED_MOST_STAVES = 64,
  WOODSHED_MOST_SYSTEMS = 64,
  WOODSHED_MOST_BARS = 512,
  WOODSHED_MOST_BLOCKS = 64,
  WOODSHED_MOST_WHITES = 256,
};

struct woodshed_music_box {
  float x0, y0, x1, y1;
};

/* A nearly horizontal line, given by its heights at the left and the right end of the staff or system that it belongs to. */
struct woodshed_music_edge {
  float left, right;
};

struct woodshed_music_staff {
  float x0, x1;
  /* The middles of the uppermost and the lowest line, at x0 and at x1. In a staff of one line, both are the same. */
  struct woodshed_music_edge top, bottom;
  /* The distance from one line to the next; an estimate for a staff of one line. */
  float space;
  uint8_t lines;
  uint8_t system;
  /* From 0 to 1. */
  float confidence;
};

/* Reasons to doubt a system, or the page. */
enum {
  WOODSHED_DOUBT_LINES = 1,      /* some staff's lines are faint, broken, or of an unusual number */
  WOODSHED_DOUBT_JOIN = 2,       /* it is unclear whether neighbouring staves are one system */
  WOODSHED_DOUBT_ABOVE = 4,      /* it is unclear which of the material above the system belongs to it */
  WOODSHED_DOUBT_BELOW = 8,      /* it is unclear which of the material below the system belongs to it */
  WOODSHED_DOUBT_TOUCHING = 16,  /* no straight cut is free of ink */
  WOODSHED_DOUBT_LEFT_OVER = 32, /* the page has lines that look like part of a staff but were not understood */
  WOODSHED_DOUBT_FULL = 64,      /* more was found than there is room for */
  WOODSHED_DOUBT_IMAGE = 128,    /* the image is too small, too large or too dark to say anything */
};

struct woodshed_music_system {
  /* The upright box around the system's ink. */
  struct woodshed_music_box box;
  /* The limits of the system's own material, from chord names and marks above to the last line of lyrics below, at box.x0 and at box.x1. */
  struct woodshed_music_edge top, bottom;
  /* Where the page may be cut above and below the system: in the middle of the white or, if there is none, at
   * the row with the least ink. */
  struct woodshed_music_edge cut_above, cut_below;
  uint8_t first_staff, staves;
  uint16_t first_bar, bars;
  bool is_sure;
  uint8_t doubts;
  float confidence;
};

struct woodshed_music_bar {
  /* Where the bar line crosses the uppermost and the lowest line of its system. */
  float x, x_below;
  /* One bit for each of the system's staves, the uppermost first. */
  uint64_t staves;
  /* Several lines, or a heavy one: a double bar, a repeat sign, an end. */
  bool is_heavy;
  float confidence;
};

enum { WOODSHED_BLOCK_ABOVE, WOODSHED_BLOCK_BETWEEN, WOODSHED_BLOCK_BELOW, WOODSHED_BLOCK_ALONE };

/* Something other than music: a title, credits, verses printed as text, a picture. */
struct woodshed_music_block {
  struct woodshed_music_box box;
  uint8_t where;
};

/* Rows without any ink but specks and the dividers between systems, from the first to the one after the last. */
struct woodshed_music_white {
  float y0, y1;
};

struct woodshed_page_music {
  /* Systems are ordered from the top, and those side by side from the left. Staves and bars are in the order of their systems; in
   * each system, staves are ordered from the top, and bars from the left. */
  uint16_t stave_count, system_count, bar_count, block_count, white_count;
  bool is_sure;
  uint8_t doubts;
  float confidence;
  /* The slope of the lines: above 0 if they fall towards the right, below 0 if they rise. */
  float slant_degrees;
  /* Whether the page is to be shown turned back by its slant, around its middle, which makes its staves level. The heights of cuts, blocks
   * and whites are then those of the turned page. */
  bool is_turned;
  struct woodshed_music_box ink;
  struct woodshed_music_staff staves[WOODSHED_MOST_STAVES];
  struct woodshed_music_system systems[WOODSHED_MOST_SYSTEMS];
  struct woodshed_music_bar bars[WOODSHED_MOST_BARS];
  struct woodshed_music_block blocks[WOODSHED_MOST_BLOCKS];
  struct woodshed_music_white whites[WOODSHED_MOST_WHITES];
};

/* Examines an image of one byte per pixel, 0 for black. Returns false if there is no memory; otherwise `music` is complete, even if
 * nothing was found. */
bool woodshed_find_music(const uint8_t *gray, size_t width, size_t height, size_t stride, struct woodshed_page_music *music);

/* The version of the method and of the format of its bytes. */
enum { WOODSHED_MUSIC_VERSION = 1 };

/* Enough bytes for everything that a page can have. */
enum { WOODSHED_MOST_MUSIC_BYTES = 12288 };

/* Examines an image whose pixels are words 0xXXRRGGBB, and writes what was found as bytes, which are kept with the image. Returns
 * the number of bytes; 0 if there is no memory.
 *
 * All numbers take two bytes, the higher one first. Places are in ten-thousandths of the image's width or height. The first 12 are: the
 * version; 1 if everything is sure; the doubts; the slant in hundredths of a degree, plus 9000; how many systems, staves, bars, blocks and
 * whites there are; 1 if the page is to be turned; then 0 twice. The box around the ink has four: left, top, right, bottom. Then come
 * - systems: the box; `top`, `bottom`, `cut_above` and `cut_below`, each at its left and at its right end; the first staff and how many; the
 *   first bar and how many; 1 if it is sure; the doubts,
 * - staves: left, right; the uppermost line and the lowest, each at its left and at its right end; from one line to the next, in
 *   hundred-thousandths of the height; how many lines; the system,
 * - bars: where they cross the system's uppermost line and its lowest; a bit for each of the system's first 16 staves; 1 if heavy,
 * - blocks: the box; where,
 * - whites: the first row and the one after the last. */
size_t woodshed_write_music(const uint32_t *pixels, size_t width, size_t height, uint8_t *bytes);

/* The version of the profiles and of the format of their bytes. */
enum { WOODSHED_MAP_VERSION = 1 };

enum {
  /* The most columns that a system is divided into. */
  WOODSHED_MOST_COLUMNS = 1024,
  WOODSHED_COLUMN_BYTES = 3,
  /* Enough bytes for every map. */
  WOODSHED_MOST_MAP_BYTES = 8 + WOODSHED_MOST_MUSIC_BYTES + 2 * WOODSHED_MOST_SYSTEMS +
                            WOODSHED_MOST_STAVES * (8 + WOODSHED_COLUMN_BYTES * WOODSHED_MOST_COLUMNS),
};

/* Examines an image in the same way, and writes a map of its music: what `woodshed_write_music` writes, and what stands in each staff from
 * left to right. Returns the number of bytes; 0 if there is no memory.
 *
 * First come, in two bytes each, the version, the width and height of the image that was examined, and how many bytes of music follow.
 * After them comes each system: the number of its columns, four to a space from the left end of its staves to the right one; and for each
 * of its staves where its middle line begins and ends, as four numbers of two bytes like those of the music, and three bytes for each column:
 * - how much broad ink stands there, such as the heads of notes, in eighths of a space,
 * - how much other ink, but for the staff's own lines, in the same way,
 * - how far the middle of the broad ink is below the staff's uppermost line, in eighths of a space, plus 64; 0 if there is none. */
size_t woodshed_write_map(const uint32_t *pixels, size_t width, size_t height, uint8_t *bytes);
