#include "packer.h"
#include "bits.h"
#include <stdlib.h>

/* Pages are mostly paper. What repeats there is found by comparing with the pixel before and with the row above, whole words
 * at a time; only where neither goes on is a small table asked for what looked the same before. */

static inline uint64_t load64(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, 8);
  return word;
}

static inline uint32_t load32(const uint8_t *bytes) {
  uint32_t word;
  memcpy(&word, bytes, 4);
  return word;
}

/* How many bytes are equal from both places on, `most` at most. Reads nothing beyond. */
static inline size_t equal_bytes(const uint8_t *a, const uint8_t *b, size_t most) {
  size_t count = 0;
  for (; count + 32 <= most; count += 32) {
    /* Four words at once, which become one or two vectors. */
    const uint64_t difference = (load64(a + count) ^ load64(b + count)) | (load64(a + count + 8) ^ load64(b + count + 8)) |
                                (load64(a + count + 16) ^ load64(b + count + 16)) |
                                (load64(a + count + 24) ^ load64(b + count + 24));
    if (difference) break;
  }
  for (; count + 8 <= most; count += 8) {
    const uint64_t difference = little_endian(load64(a + count) ^ load64(b + count));
    if (difference) return count + ((unsigned)__builtin_ctzll(difference) >> 3);
  }
  while (count < most && a[count] == b[count]) count++;
  return count;
}

/* How repeats are looked for. */
struct search {
  size_t row, pixel;
  /* So many bytes are hashed. */
  unsigned hashed;
  /* Shorter matches cost more than their bytes. */
  size_t least;
};

/* An engraved page repeats its glyphs, and differs in every second byte where it does not. */
static struct search search_in_page(size_t row, size_t pixel) { return (struct search){row, pixel, 5, 4}; }

/* In noise, what is alike for a pixel or two costs more bits as a distance than as it is. */
static struct search search_in_noise(size_t row, size_t pixel) {
  return (struct search){row, pixel, 8, 8};
}

static inline uint32_t *slot(woodshed_band_packer *packer, struct search search, const uint8_t *bytes) {
  const uint64_t word = little_endian(load64(bytes)) << (64 - 8 * search.hashed);
  return &packer->table[word * 0x9E3779B97F4A7C15u >> (64 - TABLE_BITS)];
}

struct match {
  size_t length;
  size_t distance;
};

/* The table has room for a word behind each place that is looked up. */
enum { LOOK_AHEAD = 8 };

/* Whether paper goes on from the next pixel for longer than a few matches. A match with the row above would swallow it, at a
 * dozen bits for each part; with the pixel before it takes two. */
static inline bool is_paper_ahead(const uint8_t *bytes, size_t left, size_t pixel) {
  const size_t enough = 2 * MOST_MATCH;
  return left > enough + 2 * pixel && equal_bytes(bytes + 2 * pixel, bytes + pixel, enough) == enough;
}

/* A match with the pixel before is told in few bits; one with the row above takes a dozen, but passes the ends of rows. */
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

/* Goes from pixel to pixel: what is alike begins with one. */
static inline size_t to_next_pixel(size_t i, struct search search) {
  const size_t column = i % search.row;
  return column == 0 ? 1 : search.pixel - (column - 1) % search.pixel;
}

/* A match ends with a pixel, so that the next one is found, unless it is short or passes the end of a row anyway. */
static inline size_t whole_pixels(size_t i, size_t length, struct search search) {
  if (search.pixel == 1 || length < search.least + search.pixel || length >= MOST_MATCH) return length;
  const size_t column = (i + length) % search.row;
  return column == 0 ? length : length - (column - 1) % search.pixel;
}

static void count_match(woodshed_band_packer *packer, struct match match) {
  const unsigned distance = distance_symbol((uint32_t)match.distance);
  size_t length = match.length;
  const size_t whole = length > 2 * MOST_MATCH ? length / MOST_MATCH - 1 : 0;
  packer->literal_counts[285] += (uint32_t)whole;
  packer->distance_counts[distance] += (uint32_t)whole;
  for (length -= whole * MOST_MATCH; length > 0;) {
    const size_t each = part(length);
    packer->literal_counts[packer->lengths[each].symbol]++;
    packer->distance_counts[distance]++;
    length -= each;
  }
}

static bool add_step(woodshed_band_packer *packer, size_t *steps, struct step step) {
  if (*steps == packer->capacity) {
    const size_t capacity = packer->capacity > 0 ? 2 * packer->capacity : 4096;
    struct step *grown = realloc(packer->steps, capacity * sizeof *grown);
    if (!grown) return false;
    packer->steps = grown;
    packer->capacity = capacity;
  }
  packer->steps[(*steps)++] = step;
  return true;
}

/* Where nothing has repeated for long, it is looked for less often: after each so many misses a step more. */
static inline size_t step_after(size_t misses, size_t patience) {
  const size_t step = 1 + misses / patience, most = 16;
  return step < most ? step : most;
}

static size_t finish(woodshed_band_packer *packer, const uint8_t *bytes, size_t i, size_t count, size_t literals, size_t steps) {
  for (; i < count; i++, literals++) packer->literal_counts[bytes[i]]++;
  packer->literal_counts[END_OF_BLOCK]++;
  return add_step(packer, &steps, (struct step){(uint32_t)literals, 0, 0}) ? steps : 0;
}

static size_t describe_page(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, struct search search) {
  size_t steps = 0, i = 0, literals = 0, misses = 0;
  while (i + LOOK_AHEAD <= count) {
    const struct match match = find(packer, bytes, i, count, search);
    if (match.length >= search.least) {
      if (!add_step(packer, &steps, (struct step){(uint32_t)literals, (uint32_t)match.length, (uint32_t)match.distance})) return 0;
      count_match(packer, match);
      i += match.length;
      literals = misses = 0;
      continue;
    }
    size_t skip = step_after(misses++, 64);
    if (skip > count - i) skip = count - i;
    literals += skip;
    for (; skip > 0; skip--) packer->literal_counts[bytes[i++]]++;
  }
  return finish(packer, bytes, i, count, literals, steps);
}

static size_t describe_noise(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, struct search search) {
  size_t steps = 0, i = 0, literals = 0, misses = 0;
  while (i + LOOK_AHEAD <= count) {
    struct match match = find(packer, bytes, i, count, search);
    if (match.length >= search.least) {
      match.length = whole_pixels(i, match.length, search);
      if (!add_step(packer, &steps, (struct step){(uint32_t)literals, (uint32_t)match.length, (uint32_t)match.distance})) return 0;
      count_match(packer, match);
      const size_t end = i + match.length;
      if (match.length < 64)
        for (i += search.pixel; i < end && i + LOOK_AHEAD <= count; i += search.pixel)
          *slot(packer, search, bytes + i) = (uint32_t)i + 1;
      i = end;
      literals = misses = 0;
      continue;
    }
    size_t skip = to_next_pixel(i, search) + (step_after(misses++, 16) - 1) * search.pixel;
    if (skip > count - i) skip = count - i;
    literals += skip;
    for (; skip > 0; skip--) packer->literal_counts[bytes[i++]]++;
  }
  return finish(packer, bytes, i, count, literals, steps);
}

size_t describe_band(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, size_t row, size_t pixel, bool filtered) {
  const struct search search = filtered ? search_in_noise(row, pixel) : search_in_page(row, pixel);
  memset(packer->table, 0, sizeof packer->table);
  memset(packer->literal_counts, 0, sizeof packer->literal_counts);
  memset(packer->distance_counts, 0, sizeof packer->distance_counts);
  return filtered ? describe_noise(packer, bytes, count, search) : describe_page(packer, bytes, count, search);
}
