#include "CPixels.h"
#include <stdlib.h>

/* Chooses the filter for a band, judging by a few of its rows. */

enum { SAMPLE_STEP = 16, PIECE = 1024 };

/* A band of rows, of which only some are examined. */
struct sample {
  const uint8_t *band;
  size_t rows, row, pixel;
};

/* The pixels of an examined row: never the first row, since the filters need the row above. */
static const uint8_t *sampled(struct sample sample, size_t y) { return sample.band + (y > 0 ? y : 1) * sample.row + 1; }

/* How many bytes equal the byte `pixel` positions before them. */
static size_t count_repeats(const uint8_t *row, size_t count, size_t pixel) {
  size_t repeats = 0;
  /* Count in a byte, which suffices for 255 bytes at a time: a vector holds many such counters. */
  for (size_t x = pixel; x < count;) {
    const size_t end = count - x < 255 ? count : x + 255;
    uint8_t some = 0;
    for (; x < end; x++) some += row[x] == row[x - pixel];
    repeats += some;
  }
  return repeats;
}

/* The percentage of bytes that repeat the pixel before. */
static size_t repeats(struct sample sample) {
  size_t sum = 0, bytes = 0;
  for (size_t y = 0; y < sample.rows; y += SAMPLE_STEP) {
    sum += count_repeats(sample.band + y * sample.row + 1, sample.row - 1, sample.pixel);
    bytes += sample.row - 1;
  }
  return bytes > 0 ? sum * 100 / bytes : 100;
}

/* MARK: Noise */

/* The sum of the filtered bytes, regardless of sign: the smaller it is, the shorter the result. */
static uint64_t remainder_sum(struct sample sample, int kind) {
  uint64_t sum = 0;
  uint8_t filtered[PIECE];
  for (size_t y = 0; y < sample.rows; y += SAMPLE_STEP) {
    const uint8_t *row = sampled(sample, y), *above = row - sample.row;
    const size_t count = sample.row - 1, pixel = sample.pixel;
    for (size_t start = 0; start + pixel < count; start += PIECE - pixel) {
      const size_t length = count - start < PIECE ? count - start : PIECE;
      woodshed_filter(kind, row + start, above + start, length, pixel, filtered);
      uint32_t piece = 0;
      for (size_t x = pixel; x < length; x++) piece += (uint32_t)abs((int8_t)filtered[x]);
      sum += piece;
    }
  }
  return sum;
}

static int best_for_noise(struct sample sample) {
  int best = WOODSHED_FILTER_SUB;
  uint64_t least = UINT64_MAX;
  for (int kind = WOODSHED_FILTER_SUB; kind <= WOODSHED_FILTER_PAETH; kind++) {
    const uint64_t sum = remainder_sum(sample, kind);
    if (sum < least) {
      least = sum;
      best = kind;
    }
  }
  return best;
}

/* MARK: Both at once */

/* The binary logarithm in 256ths, approximately. */
static uint64_t logarithm(uint32_t number) {
  const unsigned whole = 31 - (unsigned)__builtin_clz(number);
  const uint64_t fraction = (((uint64_t)number << 8) >> whole) - 256;
  return whole * 256 + fraction;
}

/* Estimates the size of the rows in 256ths of a bit. Pixels that repeat the one before or, without a filter, the one above form
 * runs that cost little; the cost of every other byte follows from its frequency. */
static uint64_t estimate(struct sample sample, int kind) {
  enum { RUN_BITS = 10 };
  uint32_t counts[256] = {0}, literals = 0, runs = 0;
  uint8_t filtered[PIECE];
  const size_t count = sample.row - 1, pixel = sample.pixel;
  for (size_t y = 0; y < sample.rows; y += SAMPLE_STEP) {
    const uint8_t *row = sampled(sample, y), *above = row - sample.row;
    bool is_run = false;
    for (size_t start = 0; start + pixel < count; start += PIECE - pixel) {
      const size_t length = count - start < PIECE ? count - start : PIECE;
      woodshed_filter(kind, row + start, above + start, length, pixel, filtered);
      for (size_t x = pixel; x < length; x++) {
        const bool is_known = filtered[x] == filtered[x - pixel] || (kind == WOODSHED_FILTER_NONE && filtered[x] == above[start + x]);
        runs += is_run && !is_known;
        counts[filtered[x]] += !is_known;
        literals += !is_known;
        is_run = is_known;
      }
    }
  }
  uint64_t bits = (uint64_t)runs * RUN_BITS * 256;
  for (int byte = 0; byte < 256; byte++)
    if (counts[byte] > 0) bits += counts[byte] * (logarithm(literals) - logarithm(counts[byte]));
  return bits;
}

/* For a scan whose paper was made white: partly repetitive, partly like a photograph. */
static int best_for_mixed(struct sample sample) {
  static const int kinds[] = {WOODSHED_FILTER_NONE, WOODSHED_FILTER_SUB, WOODSHED_FILTER_PAETH};
  int best = WOODSHED_FILTER_NONE;
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const uint64_t bits = estimate(sample, kinds[i]);
    if (bits < least) {
      least = bits;
      best = kinds[i];
    }
  }
  return best;
}

int woodshed_best_filter(const uint8_t *band, size_t rows, size_t row, size_t pixel) {
  enum { ENGRAVING = 90, PHOTOGRAPH = 50 };
  const struct sample sample = {band, rows, row, pixel};
  /* Paper and engraving repeat themselves, and repeats are shorter than any differences. If most pixels differ from their neighbours, as
   * in a photograph, the differences are shorter than the pixels. */
  const size_t percent = repeats(sample);
  if (percent >= ENGRAVING) return WOODSHED_FILTER_NONE;
  if (rows < 2) return percent >= PHOTOGRAPH ? WOODSHED_FILTER_NONE : WOODSHED_FILTER_SUB;
  return percent >= PHOTOGRAPH ? best_for_mixed(sample) : best_for_noise(sample);
}
