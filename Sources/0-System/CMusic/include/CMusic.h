#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What music is on a page, from its pixels alone: staves, the systems that they
 * form, bar lines, and how far up and down each system's own material reaches, so that the page can be cut between systems. Whatever
 * is not certain says so. All heights and distances are in pixels of the image given, from its top left corner. */

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

/* A nearly horizontal line: its height at the left and at the right end of what it belongs to. */
struct woodshed_music_edge {
  float left, right;
};

struct woodshed_music_staff {
  float x0, x1;
  /* The middles of the uppermost and the lowest line, at x0 and at x1; the same if there is one line only. */
  struct woodshed_music_edge top, bottom;
  /* From one line to the next; for a single line a guess. */
  float space;
  uint8_t lines;
  uint8_t system;
  /* From 0 to 1. */
  float confidence;
};

/* Why a system, or the page, is not sure. */
enum {
  WOODSHED_DOUBT_LINES = 1,      /* some staff's lines are faint, broken, or of an unusual number */
  WOODSHED_DOUBT_JOIN = 2,       /* whether neighbouring staves are one system */
  WOODSHED_DOUBT_ABOVE = 4,      /* what of the material above it belongs to the system */
  WOODSHED_DOUBT_BELOW = 8,      /* what of the material below it belongs to the system */
  WOODSHED_DOUBT_TOUCHING = 16,  /* no straight cut is free of ink */
  WOODSHED_DOUBT_LEFT_OVER = 32, /* the page has lines that look like part of a staff but were not understood */
  WOODSHED_DOUBT_FULL = 64,      /* more was found than there is room for */
  WOODSHED_DOUBT_IMAGE = 128,    /* the image is too small, too large or too dark to say anything */
};

struct woodshed_music_system {
  /* Its ink, upright. */
  struct woodshed_music_box box;
  /* The limits of its own material, from chord names and marks above to the last line of words below, at box.x0 and box.x1. */
  struct woodshed_music_edge top, bottom;
  /* Where the page may be cut before and after it, in the middle of the free space or as near as there is. */
  struct woodshed_music_edge cut_above, cut_below;
  uint8_t first_staff, staves;
  uint16_t first_bar, bars;
  bool is_sure;
  uint8_t doubts;
  float confidence;
};

struct woodshed_music_bar {
  /* Where it crosses the uppermost and the lowest line of its system. */
  float x, x_below;
  /* One bit for each of the system's staves, the uppermost first. */
  uint64_t staves;
  /* Several lines, or a heavy one: a double bar, a repeat sign, an end. */
  bool is_heavy;
  float confidence;
};

enum { WOODSHED_BLOCK_ABOVE, WOODSHED_BLOCK_BETWEEN, WOODSHED_BLOCK_BELOW, WOODSHED_BLOCK_ALONE };

/* Something that is no music: a title, credits, verses printed as a text, a picture. */
struct woodshed_music_block {
  struct woodshed_music_box box;
  uint8_t where;
};

/* Rows without any ink but specks, from the first to the one after the last. */
struct woodshed_music_white {
  float y0, y1;
};

struct woodshed_page_music {
  /* Staves are in the order of their systems, and in each from the top; bars are in the order of their systems, and in each from the
   * left; systems are from the top, and side by side from the left. */
  uint16_t stave_count, system_count, bar_count, block_count, white_count;
  bool is_sure;
  uint8_t doubts;
  float confidence;
  /* How much a line rises (below 0) or falls to the right. */
  float slant_degrees;
  struct woodshed_music_box ink;
  struct woodshed_music_staff staves[WOODSHED_MOST_STAVES];
  struct woodshed_music_system systems[WOODSHED_MOST_SYSTEMS];
  struct woodshed_music_bar bars[WOODSHED_MOST_BARS];
  struct woodshed_music_block blocks[WOODSHED_MOST_BLOCKS];
  struct woodshed_music_white whites[WOODSHED_MOST_WHITES];
};

/* Examines an image of one byte per pixel, 0 for black. Answers false if there is no memory; otherwise `music` is complete, even if it
 * says that nothing was found. */
bool woodshed_find_music(const uint8_t *gray, size_t width, size_t height, size_t stride, struct woodshed_page_music *music);

/* The version of the method, and of its bytes. */
enum { WOODSHED_MUSIC_VERSION = 1 };

/* Bytes for everything that a page can have. */
enum { WOODSHED_MOST_MUSIC_BYTES = 12288 };

/* Examines an image whose pixels are words 0xXXRRGGBB, and writes what was found as bytes, which are kept with the image. Answers how many;
 * 0 if there is no memory.
 *
 * All numbers take two bytes, the higher one first. Places are in ten-thousandths of the image's width or height. The first 12 are: the
 * version; 1 if everything is sure; the doubts; the slant in hundredths of a degree, plus 9000; how many systems, staves, bars, blocks and
 * whites there are; then 0 three times. The box around the ink has four: left, top, right, bottom. Then come
 * - systems: the box; `top`, `bottom`, `cut_above` and `cut_below`, each at its left and at its right end; the first staff and how many; the
 *   first bar and how many; 1 if it is sure; the doubts,
 * - staves: left, right; the uppermost line and the lowest, each at its left and at its right end; from one line to the next, in
 *   hundred-thousandths of the height; how many lines; the system,
 * - bars: where they cross the system's uppermost line and its lowest; a bit for each of the system's first 16 staves; 1 if heavy,
 * - blocks: the box; where,
 * - whites: the first row and the one after the last. */
size_t woodshed_write_music(const uint32_t *pixels, size_t width, size_t height, uint8_t *bytes);
