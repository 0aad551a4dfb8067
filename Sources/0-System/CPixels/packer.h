#pragma once
#include "CPixels.h"
#include "huffman.h"

enum {
  TABLE_BITS = 14,
  MOST_MATCH = 258,
  MOST_DISTANCE = 32768,
  LITERAL_SYMBOLS = 286,
  DISTANCE_SYMBOLS = 30,
  END_OF_BLOCK = 256,
  /* Of words this long, four fit between two flushes. */
  LONGEST_LITERAL_CODE = 14,
  LONGEST_DISTANCE_CODE = 15,
  LENGTH_SYMBOLS = 19,
  STORED_BLOCK = 65535,
};

/* Bytes that are written as they are, followed by bytes repeated from `distance` bytes before. */
struct step {
  uint32_t literals;
  uint32_t length;
  uint32_t distance;
};

struct symbol {
  uint16_t symbol;
  uint16_t base;
  uint8_t extra;
};

struct woodshed_band_packer {
  struct step *steps;
  size_t capacity;
  uint32_t table[1 << TABLE_BITS];
  uint32_t literal_counts[MOST_SYMBOLS];
  uint32_t distance_counts[DISTANCE_SYMBOLS];
  struct symbol lengths[MOST_MATCH + 1];
  struct symbol distances[DISTANCE_SYMBOLS];
};

static inline unsigned distance_symbol(uint32_t distance) {
  if (distance <= 2) return distance - 1;
  const unsigned high = 31 - (unsigned)__builtin_clz(distance - 1);
  return 2 * high + ((distance - 1) >> (high - 1) & 1);
}

/* The length of a match's next part: long matches are written in parts, none shorter than deflate allows. */
static inline size_t part(size_t length) {
  if (length <= MOST_MATCH) return length;
  return length < MOST_MATCH + 3 ? length - 3 : MOST_MATCH;
}

/* Makes room for this many steps; fails only if there is no memory. */
bool make_room(woodshed_band_packer *packer, size_t steps);
/* Count the symbols for a match, and for bytes that are written as they are. */
void count_match(woodshed_band_packer *packer, size_t length, size_t distance);
void count_literals(woodshed_band_packer *packer, const uint8_t *bytes, size_t count);
/* Ends a description of this many steps with more bytes that are written as they are; returns the new number of steps, or 0 if
 * there is no memory. */
size_t finish(woodshed_band_packer *packer, size_t literals, size_t steps);

/* Describes a band in steps, and counts their symbols. For colour noise, it counts only some rows, but every symbol at least once.
 * Returns the number of steps, or 0 if there is no memory. `filtered` rows contain noise, as of a photograph, in which only longer
 * repeats are worth their words. */
size_t describe_band(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, size_t row, size_t pixel, bool filtered);
/* The same as `describe_band`, for filtered rows with three bytes per pixel. */
size_t describe_colour_noise(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, size_t row);
