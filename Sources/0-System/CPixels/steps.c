#include "packer.h"
#include <stdlib.h>

bool make_room(woodshed_band_packer *packer, size_t steps) {
  if (steps <= packer->capacity) return true;
  const size_t least = packer->capacity > 0 ? 2 * packer->capacity : 4096, capacity = steps > least ? steps : least;
  struct step *grown = realloc(packer->steps, capacity * sizeof *grown);
  if (!grown) return false;
  packer->steps = grown;
  packer->capacity = capacity;
  return true;
}

void count_match(woodshed_band_packer *packer, size_t length, size_t far) {
  const unsigned distance = distance_symbol((uint32_t)far);
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

/* A byte often equals the one before, and a processor must wait before it can change a counter again. So several columns of
 * counters are used in turn. */
void count_literals(woodshed_band_packer *packer, const uint8_t *bytes, size_t count) {
  enum { COLUMNS = 4, FEW = 256 };
  if (count < FEW) {
    for (size_t i = 0; i < count; i++) packer->literal_counts[bytes[i]]++;
    return;
  }
  uint32_t counts[COLUMNS][256] = {{0}};
  size_t i = 0;
  for (; i + COLUMNS <= count; i += COLUMNS)
    for (size_t column = 0; column < COLUMNS; column++) counts[column][bytes[i + column]]++;
  for (; i < count; i++) counts[0][bytes[i]]++;
  for (size_t byte = 0; byte < 256; byte++)
    for (size_t column = 0; column < COLUMNS; column++) packer->literal_counts[byte] += counts[column][byte];
}

size_t finish(woodshed_band_packer *packer, size_t literals, size_t steps) {
  packer->literal_counts[END_OF_BLOCK]++;
  if (!make_room(packer, steps + 1)) return 0;
  packer->steps[steps] = (struct step){(uint32_t)literals, 0, 0};
  return steps + 1;
}
