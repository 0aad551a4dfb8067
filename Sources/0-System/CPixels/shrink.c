#include "CPixels.h"
#include <string.h>

/* Positions are whole numbers of small fractions of a pixel, so that nothing is rounded before the end. Horizontally, a source
 * column x reaches from x * width to (x + 1) * width, a target column t from t * source_width to (t + 1) * source_width. */

/* How many bytes a sum of 16 bits can hold; a vector holds twice as many such sums as longer ones. */
enum { MOST_ROWS = 257 };

/* Rows that are completely inside a target row are added several at a time, so that the sums are read and written
 * only once for these rows. */
enum { AT_ONCE = 4 };

static void add_rows(const uint8_t *const *rows, size_t count, uint16_t *few) {
  const uint8_t *const a = rows[0], *const b = rows[1], *const c = rows[2], *const d = rows[3];
  for (size_t x = 0; x < count; x++) few[x] += (uint16_t)(a[x] + b[x] + c[x] + d[x]);
}

static void add_row(const uint8_t *row, size_t count, uint16_t *few) {
  for (size_t x = 0; x < count; x++) few[x] += row[x];
}

/* Weights and bytes are passed as short numbers, since a processor can multiply more of those at a time. */
static void weigh_edges(const uint8_t *first, const uint8_t *last, size_t count, int16_t weight, int16_t last_weight,
                        uint32_t *totals) {
  for (size_t x = 0; x < count; x++)
    totals[x] = (uint32_t)((int32_t)(int16_t)first[x] * weight + (int32_t)(int16_t)last[x] * last_weight);
}

static void weigh(uint16_t *few, size_t count, uint16_t weight, uint32_t *totals) {
  for (size_t x = 0; x < count; x++) totals[x] += (uint32_t)few[x] * weight;
  memset(few, 0, count * sizeof *few);
}

/* The rounded mean; most images are small enough for the shorter division. */
static uint8_t mean(uint64_t sum, uint64_t area) {
  sum += area / 2;
  return (uint8_t)(area < (1u << 24) ? (uint32_t)sum / (uint32_t)area : sum / area);
}

/* Writes one target row from the totals of the source columns. A column at the edge of a target pixel is divided between two pixels. */
static void write_row(const uint32_t *totals, size_t source_width, size_t channels, uint64_t area, uint8_t *target, size_t width) {
  for (size_t channel = 0; channel < channels; channel++) {
    const uint32_t *column = totals + channel;
    /* The part of the current column that has not been used yet. */
    uint64_t left = width;
    for (size_t t = 0; t < width; t++) {
      uint64_t wanted = source_width, sum = 0, whole = 0;
      if (left < width) {
        sum = *column * left;
        wanted -= left;
        column += channels;
      }
      for (; wanted >= width; wanted -= width, column += channels) whole += *column;
      sum += whole * width;
      left = width;
      if (wanted > 0) {
        sum += *column * wanted;
        left = width - wanted;
      }
      target[t * channels + channel] = mean(sum, area);
    }
  }
}

void woodshed_shrink(const uint8_t *const *rows, size_t count, uint16_t first, uint16_t whole, uint16_t last, size_t source_width,
                     size_t channels, uint64_t area, uint8_t *target, size_t width, uint32_t *sums) {
  const size_t bytes = source_width * channels;
  uint16_t *few = (uint16_t *)(sums + bytes);
  memset(few, 0, bytes * sizeof *few);
  weigh_edges(rows[0], rows[count - 1], bytes, (int16_t)first, (int16_t)(count > 1 ? last : 0), sums);
  size_t added = 0;
  for (size_t y = 1; y + 1 < count;) {
    if (added + AT_ONCE > MOST_ROWS) {
      weigh(few, bytes, whole, sums);
      added = 0;
    }
    const size_t each = y + AT_ONCE < count ? AT_ONCE : 1;
    if (each == AT_ONCE) {
      add_rows(rows + y, bytes, few);
    } else {
      add_row(rows[y], bytes, few);
    }
    y += each;
    added += each;
  }
  weigh(few, bytes, whole, sums);
  write_row(sums, source_width, channels, area, target, width);
}
