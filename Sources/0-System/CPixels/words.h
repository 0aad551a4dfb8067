#pragma once
#include "bits.h"
#include <stddef.h>

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

/* How many bytes are equal from both positions on, at most `most`. Reads no further. */
static inline size_t equal_bytes(const uint8_t *a, const uint8_t *b, size_t most) {
  size_t count = 0;
  for (; count + 32 <= most; count += 32) {
    /* Four words together, which become one or two vectors. */
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
