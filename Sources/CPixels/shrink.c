#include "CPixels.h"
#include <string.h>

/* Positions are counted in whole fractions of a pixel, so that nothing is lost to rounding before the end. Across, a source
 * column x reaches from x * width to (x + 1) * width, a target column t from t * source_width to (t + 1) * source_width. */

/* So many bytes fit into a sum of 16 bits, of which a vector holds twice as many as of the longer ones. */
enum { MOST_ROWS = 257 };

/* Adds rows that lie wholly within a target row, several at once: the sums are read and written once for all. */
enum { AT_ONCE = 4 };

static void add_rows(const uint8_t *const *rows, size_t count, uint16_t *few) {
  const uint8_t *const a = rows[0], *const b = rows[1], *const c = rows[2], *const d = rows[3];
  for (size_t x = 0; x < count; x++) few[x] += (uint16_t)(a[x] + b[x] + c[x] + d[x]);
}

static void add_row(const uint8_t *row, size_t count, uint16_t *few) {
  for (size_t x = 0; x < count; x++) few[x] += row[x];
}

static void spill(uint16_t *few, size_t count, uint32_t *sums) {
  for (size_t x = 0; x < count; x++) sums[x] += few[x];
  memset(few, 0, count * sizeof *few);
}

/* total = whole rows at their full weight, and what the rows on the edges gave. */
static void weigh(uint32_t *sums, uint32_t weight, const uint32_t *edges, size_t count) {
  for (size_t x = 0; x < count; x++) sums[x] = sums[x] * weight + edges[x];
}

static void add_weighted(const uint8_t *row, size_t count, uint32_t weight, uint32_t *edges) {
  for (size_t x = 0; x < count; x++) edges[x] += row[x] * weight;
}

/* The rounded mean; most images are small enough for the shorter division. */
static uint8_t mean(uint64_t sum, uint64_t area) {
  sum += area / 2;
  return (uint8_t)(area < (1u << 24) ? (uint32_t)sum / (uint32_t)area : sum / area);
}

/* One target row of the columns' totals; the same fractions across. */
static void write_row(const uint32_t *totals, size_t source_width, size_t channels, uint64_t area, uint8_t *target, size_t width) {
  for (size_t channel = 0; channel < channels; channel++) {
    const uint32_t *column = totals + channel;
    /* How much of the column at hand is not yet given away. */
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

void woodshed_shrink(const uint8_t *const *rows, size_t count, uint32_t first, uint32_t whole, uint32_t last, size_t source_width,
                     size_t channels, uint64_t area, uint8_t *target, size_t width, uint32_t *sums) {
  const size_t bytes = source_width * channels;
  uint32_t *edges = sums + bytes;
  uint16_t *few = (uint16_t *)(edges + bytes);
  memset(sums, 0, 3 * bytes * sizeof *sums);
  add_weighted(rows[0], bytes, first, edges);
  size_t added = 0;
  for (size_t y = 1; y + 1 < count;) {
    if (added + AT_ONCE > MOST_ROWS) {
      spill(few, bytes, sums);
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
  spill(few, bytes, sums);
  if (count > 1) add_weighted(rows[count - 1], bytes, last, edges);
  weigh(sums, whole, edges, bytes);
  write_row(sums, source_width, channels, area, target, width);
}
