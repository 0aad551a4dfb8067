#include "packer.h"
#include "words.h"

/* Pages are mostly paper. Its repeats are found by comparing with the pixel before and with the row above, whole words at a time;
 * only where neither matches, a small table gives an earlier position that may match. */

/* How to search for repeats. */
struct search {
  size_t row, pixel;
  /* How many bytes each hash covers. */
  unsigned hashed;
  /* Shorter matches would cost more than their bytes. */
  size_t least;
};

/* An engraved page repeats its glyphs. Elsewhere, it differs in every second byte or, with three bytes per pixel, in every second pixel. */
static struct search search_in_page(size_t row, size_t pixel) {
  return pixel == 1 ? (struct search){row, pixel, 5, 4} : (struct search){row, pixel, 6, 6};
}

/* In noise, repeats of a pixel or two take more bits as a distance than as bytes. */
static struct search search_in_noise(size_t row) {
  return (struct search){row, 1, 8, 8};
}

static inline uint32_t *slot(woodshed_band_packer *packer, struct search search, const uint8_t *bytes) {
  const uint64_t word = little_endian(load64(bytes)) << (64 - 8 * search.hashed);
  return &packer->table[word * 0x9E3779B97F4A7C15u >> (64 - TABLE_BITS)];
}

struct match {
  size_t length;
  size_t distance;
};

/* The table lookup reads a whole word from each place. */
enum { LOOK_AHEAD = 8 };

/* Whether the next pixels are paper, for longer than a few matches. A match with the row above would include the paper, at a dozen bits
 * for each part of the match; a match with the pixel before takes two bits for each. */
static inline bool is_paper_ahead(const uint8_t *bytes, size_t left, size_t pixel) {
  const size_t enough = 2 * MOST_MATCH;
  return left > enough + 2 * pixel && equal_bytes(bytes + 2 * pixel, bytes + pixel, enough) == enough;
}

/* Finds the best match. A match with the pixel before takes few bits; a match with the row above takes a dozen, but
 * continues past the ends of rows. */
static inline struct match find(woodshed_band_packer *packer, const uint8_t *bytes, size_t i, size_t count, struct search search) {
  const size_t left = count - i, row = search.row, pixel = search.pixel;
  struct match best = {0, 0};
  const uint32_t here = load32(bytes + i);
  if (i >= pixel && load32(bytes + i - pixel) == here) {
    best = (struct match){equal_bytes(bytes + i, bytes + i - pixel, left), pixel};
    if (best.length >= 64) return best;
  }
  if (i >= row && row <= MOST_DISTANCE && load32(bytes + i - row) == here) {
    if (is_paper_ahead(bytes + i, left, pixel)) return (struct match){0, 0};
    const size_t length = equal_bytes(bytes + i, bytes + i - row, left);
    if (length > best.length + 2) best = (struct match){length, row};
  }
  if (best.length > 0) return best;
  uint32_t *place = slot(packer, search, bytes + i);
  const size_t known = *place;
  *place = (uint32_t)i + 1;
  if (known > 0 && i + 1 - known <= MOST_DISTANCE && load32(bytes + known - 1) == here)
    best = (struct match){equal_bytes(bytes + i, bytes + known - 1, left), i + 1 - known};
  return best;
}

/* A position in the rows that advances pixel by pixel: repeats always begin with a pixel. */
struct walk {
  size_t i, row_end;
};

/* The bytes of this many pixels, up to the end of the row; a row's filter byte is passed separately. */
static inline size_t pixels_on(struct walk walk, size_t pixels, struct search search) {
  if (walk.i + search.row == walk.row_end) return 1;
  const size_t bytes = pixels * search.pixel, left = walk.row_end - walk.i;
  return bytes < left ? bytes : left;
}

static inline void go(struct walk *walk, size_t bytes, struct search search) {
  walk->i += bytes;
  if (walk->i >= walk->row_end) walk->row_end = (walk->i / search.row + 1) * search.row;
}

/* The length of a match without the incomplete pixel at its end. */
static inline size_t whole_pixels(struct walk walk, size_t length, struct search search) {
  if (search.pixel == 1 || length == 0) return length;
  go(&walk, length, search);
  const size_t column = walk.i + search.row - walk.row_end;
  return column == 0 ? length : length - (column - 1) % 3;
}

/* If nothing has repeated for long, search less often: the step grows by one after every `patience` misses. */
static inline size_t step_after(size_t misses, size_t patience, size_t most) {
  const size_t step = 1 + misses / patience;
  return step < most ? step : most;
}

/* Ends a description; the bytes from `i` on become literals, too. */
static size_t end_at(woodshed_band_packer *packer, const uint8_t *bytes, size_t i, size_t count, size_t literals, size_t steps) {
  literals += count - i;
  count_literals(packer, bytes + count - literals, literals);
  return finish(packer, literals, steps);
}

/* Adds a match, with the bytes before it, which are written as they are. */
static bool add_match(woodshed_band_packer *packer, const uint8_t *bytes, size_t i, size_t literals, struct match match, size_t *steps) {
  count_literals(packer, bytes + i - literals, literals);
  count_match(packer, match.length, match.distance);
  if (!make_room(packer, *steps + 1)) return false;
  packer->steps[(*steps)++] = (struct step){(uint32_t)literals, (uint32_t)match.length, (uint32_t)match.distance};
  return true;
}

static size_t describe_page(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, struct search search) {
  struct walk walk = {0, search.row};
  size_t steps = 0, literals = 0, misses = 0;
  while (walk.i + LOOK_AHEAD <= count) {
    struct match match = find(packer, bytes, walk.i, count, search);
    match.length = whole_pixels(walk, match.length, search);
    size_t length = match.length;
    if (length >= search.least) {
      if (!add_match(packer, bytes, walk.i, literals, match, &steps)) return 0;
      literals = misses = 0;
    } else {
      length = pixels_on(walk, step_after(misses++, 64, 16), search);
      literals += length;
    }
    go(&walk, length, search);
  }
  return end_at(packer, bytes, walk.i, count, literals, steps);
}

/* Finds a match with the pixel before, or with an earlier position where a whole word is the same. */
static inline struct match find_in_noise(woodshed_band_packer *packer, const uint8_t *bytes, size_t i, size_t count, struct search search) {
  const uint64_t here = load64(bytes + i);
  uint32_t *place = slot(packer, search, bytes + i);
  const size_t known = *place;
  *place = (uint32_t)i + 1;
  if (i >= search.pixel && load64(bytes + i - search.pixel) == here)
    return (struct match){equal_bytes(bytes + i, bytes + i - search.pixel, count - i), search.pixel};
  if (known > 0 && i + 1 - known <= MOST_DISTANCE && load64(bytes + known - 1) == here)
    return (struct match){equal_bytes(bytes + i, bytes + known - 1, count - i), i + 1 - known};
  return (struct match){0, 0};
}

static size_t describe_noise(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, struct search search) {
  struct walk walk = {0, search.row};
  size_t steps = 0, literals = 0, misses = 0;
  while (walk.i + LOOK_AHEAD <= count) {
    struct match match = find_in_noise(packer, bytes, walk.i, count, search);
    match.length = whole_pixels(walk, match.length, search);
    size_t length = match.length;
    if (length >= search.least) {
      if (!add_match(packer, bytes, walk.i, literals, match, &steps)) return 0;
      if (length < 64)
        for (size_t i = walk.i + search.pixel; i < walk.i + length && i + LOOK_AHEAD <= count; i += search.pixel)
          *slot(packer, search, bytes + i) = (uint32_t)i + 1;
      literals = misses = 0;
    } else {
      /* A gray photograph hardly repeats anything, so do not waste time on it. */
      length = pixels_on(walk, step_after(misses++, 4, 64), search);
      literals += length;
    }
    go(&walk, length, search);
  }
  return end_at(packer, bytes, walk.i, count, literals, steps);
}

size_t describe_band(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, size_t row, size_t pixel, bool filtered) {
  memset(packer->table, 0, sizeof packer->table);
  memset(packer->literal_counts, 0, sizeof packer->literal_counts);
  memset(packer->distance_counts, 0, sizeof packer->distance_counts);
  if (filtered && pixel == 3) return describe_colour_noise(packer, bytes, count, row);
  return filtered ? describe_noise(packer, bytes, count, search_in_noise(row))
                  : describe_page(packer, bytes, count, search_in_page(row, pixel));
}
