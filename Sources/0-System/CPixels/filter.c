#include "CPixels.h"
#include <stdlib.h>
#include <string.h>

/* These loops have no branches, so that the compiler can vectorise them. */

static inline uint8_t distance(uint8_t a, uint8_t b) { return (uint8_t)(a > b ? a - b : b - a); }

/* Returns a mask, since a loop with a branch would not become vectors of bytes. */
static inline uint8_t all_if(bool is) { return (uint8_t)-(int)is; }

/* PNG compares left + above with twice the corner, and their difference does not fit into a byte. If left and above are on the same side
 * of the corner, this difference is the sum of the two other distances, and never the least; otherwise it is the difference of the two.
 * So bytes suffice, and a vector holds twice as many bytes as longer numbers. */
static inline uint8_t paeth(uint8_t left, uint8_t above, uint8_t corner) {
  const uint8_t to_left = distance(above, corner), to_above = distance(left, corner);
  const uint8_t is_beside = all_if((left < corner) == (above < corner));
  const uint8_t to_corner = distance(to_left, to_above) | is_beside;
  const uint8_t is_left = all_if(to_left <= to_above) & all_if(to_left <= to_corner), is_above = all_if(to_above <= to_corner);
  return (uint8_t)((left & is_left) | (((above & is_above) | (corner & (uint8_t)~is_above)) & (uint8_t)~is_left));
}

/* PNG treats the pixels before a row's first one as zero. */
static void filter_first(int kind, const uint8_t *row, const uint8_t *above, size_t count, uint8_t *filtered) {
  for (size_t x = 0; x < count; x++) {
    const uint8_t guess = kind == WOODSHED_FILTER_UP || kind == WOODSHED_FILTER_PAETH ? above[x]
                          : kind == WOODSHED_FILTER_AVERAGE ? above[x] >> 1 : 0;
    filtered[x] = (uint8_t)(row[x] - guess);
  }
}

void woodshed_filter(int kind, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel, uint8_t *filtered) {
  const size_t first = pixel < count ? pixel : count;
  filter_first(kind, row, above, first, filtered);
  switch (kind) {
  case WOODSHED_FILTER_SUB:
    for (size_t x = first; x < count; x++) filtered[x] = (uint8_t)(row[x] - row[x - pixel]);
    break;
  case WOODSHED_FILTER_UP:
    for (size_t x = first; x < count; x++) filtered[x] = (uint8_t)(row[x] - above[x]);
    break;
  case WOODSHED_FILTER_AVERAGE:
    for (size_t x = first; x < count; x++) filtered[x] = (uint8_t)(row[x] - (row[x - pixel] + above[x]) / 2);
    break;
  case WOODSHED_FILTER_PAETH:
    for (size_t x = first; x < count; x++) filtered[x] = (uint8_t)(row[x] - paeth(row[x - pixel], above[x], above[x - pixel]));
    break;
  default: memcpy(filtered, row, count);
  }
}

void woodshed_unfilter(int kind, uint8_t *row, const uint8_t *above, size_t count, size_t pixel) {
  for (size_t x = 0; x < count; x++) {
    const int left = x < pixel ? 0 : row[x - pixel];
    switch (kind) {
    case WOODSHED_FILTER_SUB: row[x] += (uint8_t)left; break;
    case WOODSHED_FILTER_UP: row[x] += above[x]; break;
    case WOODSHED_FILTER_AVERAGE: row[x] += (uint8_t)((left + above[x]) / 2); break;
    case WOODSHED_FILTER_PAETH: row[x] += paeth(left, above[x], x < pixel ? 0 : above[x - pixel]); break;
    default: return;
    }
  }
}

void woodshed_filter_band(int kind, const uint8_t *band, size_t rows, size_t row, size_t pixel, uint8_t *filtered) {
  for (size_t y = 0; y < rows; y++) {
    const uint8_t *here = band + y * row;
    const int each = y == 0 ? WOODSHED_FILTER_SUB : kind;
    filtered[y * row] = (uint8_t)each;
    woodshed_filter(each, here + 1, y == 0 ? here + 1 : here - row + 1, row - 1, pixel, filtered + y * row + 1);
  }
}
