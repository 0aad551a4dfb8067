#include "packer.h"
#include "words.h"

/* A filtered colour photograph is noise, in which three pixels often equal three earlier ones, since the three bytes of each pixel are
 * mostly alike. A processor cannot predict where such repeats are. So all pixels of a piece are looked up first, without a branch, and
 * the finds are processed afterwards. */

enum { PIXEL = 3, PIECE = 64, ALIKE = 3 * PIXEL };

/* The places in a piece where three pixels seem to repeat three earlier ones: one bit for each pixel with which such a repeat begins, and
 * the distance back to the earlier pixels. */
struct finds {
  uint64_t places;
  uint16_t distances[PIECE];
};

/* Looks a pixel up; returns 1 if it and the two after it seem to repeat three earlier pixels. For each hash, the table holds the lower
 * half of the last position and as many bits of the hash itself, so nothing has to be loaded from that position for the comparison. */
static inline unsigned look_up(woodshed_band_packer *packer, const uint8_t *bytes, size_t i, uint16_t *distance) {
  const uint64_t hash = (little_endian(load64(bytes + i)) ^ (uint64_t)bytes[i + 8] << 29) * 0x9E3779B97F4A7C15u;
  uint32_t *place = &packer->table[hash >> (64 - TABLE_BITS)];
  const uint32_t now = (uint32_t)(hash >> 16 & 0xffff0000u) | (uint16_t)i, before = *place;
  *place = now;
  *distance = (uint16_t)(now - before);
  return ((now ^ before) >> 16 == 0) & ((uint32_t)(*distance - 1) < MOST_DISTANCE);
}

static inline void look_up_all(woodshed_band_packer *packer, const uint8_t *bytes, size_t start, size_t pixels, struct finds *finds) {
  enum { AT_ONCE = 8 };
  uint64_t places = 0;
  size_t x = 0;
  for (; x + AT_ONCE <= pixels; x += AT_ONCE) {
    unsigned some = 0;
#pragma clang loop unroll(full)
    for (size_t y = 0; y < AT_ONCE; y++) some |= look_up(packer, bytes, start + (x + y) * PIXEL, &finds->distances[x + y]) << y;
    places |= (uint64_t)some << x;
  }
  for (; x < pixels; x++) places |= (uint64_t)look_up(packer, bytes, start + x * PIXEL, &finds->distances[x]) << x;
  finds->places = places;
}

/* Whether bytes that seem to be equal really are. */
static inline bool is_alike(const uint8_t *bytes, size_t distance) {
  const uint8_t *before = bytes - distance;
  return ((load64(bytes) ^ load64(before)) | (load64(bytes + 1) ^ load64(before + 1))) == 0;
}

/* The length of a find, in whole pixels. Most finds have the minimum length. */
static inline size_t length_of(const uint8_t *bytes, size_t distance, size_t room) {
  if (room >= ALIKE + 8) {
    const uint64_t difference = little_endian(load64(bytes + ALIKE) ^ load64(bytes + ALIKE - distance));
    if (difference & 0xffffff) return ALIKE;
    if (difference) return ALIKE + (difference & 0xffffff000000 ? PIXEL : 2 * PIXEL);
  }
  const size_t length = ALIKE + equal_bytes(bytes + ALIKE, bytes + ALIKE - distance, room - ALIKE);
  return length - length % PIXEL;
}

/* A quarter of the rows, spread evenly but not at equal distances, is enough to choose good code words: counting all rows would take a
 * sixth of the time for packing. */
static inline bool is_counted(size_t y) { return (y * 5 & 15) < 4; }

/* Counts a row's steps. The first step began `before` bytes before the row. */
static void count_row(woodshed_band_packer *packer, const uint8_t *row, const uint8_t *end, size_t before, size_t step, size_t steps) {
  for (; step < steps; step++) {
    const struct step each = packer->steps[step];
    count_literals(packer, row, each.literals - before);
    count_match(packer, each.length, each.distance);
    row += each.literals - before + each.length;
    before = 0;
  }
  count_literals(packer, row, (size_t)(end - row));
}

/* The description so far: steps, followed by bytes that are written as they are. */
struct described {
  size_t steps, literals;
};

/* Makes steps of the finds among this many pixels from `start`, within a row; returns the position after them. */
static inline size_t add_finds(woodshed_band_packer *packer, const uint8_t *bytes, size_t start, size_t pixels, size_t end,
                                const struct finds *finds, struct described *described) {
  size_t x = 0;
  for (uint64_t places = finds->places; places;) {
    const size_t next = (size_t)__builtin_ctzll(places), at = start + next * PIXEL, distance = finds->distances[next];
    if (!is_alike(bytes + at, distance)) {
      places &= places - 1;
      continue;
    }
    const size_t length = length_of(bytes + at, distance, end - at);
    const size_t literals = described->literals + (next - x) * PIXEL;
    packer->steps[described->steps++] = (struct step){(uint32_t)literals, (uint32_t)length, (uint32_t)distance};
    described->literals = 0;
    x = next + length / PIXEL;
    if (x >= PIECE) break;
    places &= ~(uint64_t)0 << x;
  }
  if (x < pixels) {
    described->literals += (pixels - x) * PIXEL;
    x = pixels;
  }
  return start + x * PIXEL;
}

size_t describe_colour_noise(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, size_t row) {
  struct described described = {0, 0};
  struct finds finds;
  /* Every symbol that occurs needs a word, even if it was not counted. */
  for (unsigned i = 0; i < LITERAL_SYMBOLS; i++) packer->literal_counts[i] = 1;
  for (unsigned i = 0; i < DISTANCE_SYMBOLS; i++) packer->distance_counts[i] = 1;
  for (size_t y = 0; y * row < count; y++) {
    const size_t start = y * row, end = start + row;
    const struct described before = described;
    if (!make_room(packer, before.steps + row / ALIKE + 1)) return 0;
    described.literals++;
    size_t i = start + 1;
    while (end - i >= ALIKE) {
      const size_t left = (end - i - ALIKE) / PIXEL + 1, pixels = left < PIECE ? left : PIECE;
      look_up_all(packer, bytes, i, pixels, &finds);
      i = add_finds(packer, bytes, i, pixels, end, &finds, &described);
    }
    described.literals += end - i;
    if (is_counted(y)) count_row(packer, bytes + start, bytes + end, before.literals, before.steps, described.steps);
  }
  return finish(packer, described.literals, described.steps);
}
