#include "CPixels.h"
#include <string.h>

/* Positions are counted in whole fractions of a pixel, so that nothing is lost to rounding before the end: a source row y
 * reaches from y * height to (y + 1) * height, a target row t from t * source_height to (t + 1) * source_height. */

/* So many bytes fit into a sum of 16 bits, of which a vector holds twice as many as of the longer ones. */
enum { MOST_ROWS = 257 };

/* Adds a row that lies wholly within a target row. */
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
static void write_row(const uint32_t *totals, size_t source_width, size_t source_height, size_t channels, uint8_t *target,
                      size_t width) {
  const uint64_t area = (uint64_t)source_width * source_height;
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

void woodshed_shrink(const uint8_t *source, size_t source_width, size_t source_height, size_t stride, size_t channels,
                     uint8_t *target, size_t width, size_t height, size_t target_stride, uint32_t *sums) {
  const size_t count = source_width * channels;
  uint32_t *edges = sums + count;
  uint16_t *few = (uint16_t *)(edges + count);
  memset(sums, 0, 3 * count * sizeof *sums);
  size_t t = 0, rows = 0;
  for (size_t y = 0; y < source_height; y++) {
    const uint8_t *row = source + y * stride;
    const uint64_t end = (uint64_t)(y + 1) * height, target_end = (uint64_t)(t + 1) * source_height;
    if (end < target_end) {
      add_row(row, count, few);
      if (++rows % MOST_ROWS == 0) spill(few, count, sums);
      continue;
    }
    const uint64_t before = target_end - (uint64_t)y * height;
    add_weighted(row, count, (uint32_t)before, edges);
    spill(few, count, sums);
    weigh(sums, (uint32_t)height, edges, count);
    write_row(sums, source_width, source_height, channels, target + t * target_stride, width);
    memset(sums, 0, 2 * count * sizeof *sums);
    t++;
    rows = 0;
    add_weighted(row, count, (uint32_t)(end - target_end), edges);
  }
}
