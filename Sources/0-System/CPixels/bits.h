#pragma once
#include <stdint.h>
#include <string.h>

/* Writes bits, lowest first, as deflate requires. Whole words are stored, so there must be room for eight more bytes after the output. */
struct bits {
  uint64_t held;
  unsigned count;
  uint8_t *out;
};

static inline uint64_t little_endian(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return __builtin_bswap64(word);
#else
  return word;
#endif
}

/* Put at most 56 bits between two flushes. */
static inline void put(struct bits *bits, uint64_t value, unsigned count) {
  bits->held |= value << bits->count;
  bits->count += count;
}

static inline void flush(struct bits *bits) {
  uint64_t word = little_endian(bits->held);
  memcpy(bits->out, &word, 8);
  bits->out += bits->count >> 3;
  bits->held >>= bits->count & ~7u;
  bits->count &= 7;
}

/* Fills the rest of the current byte with zeros. */
static inline void align(struct bits *bits) {
  flush(bits);
  if (bits->count > 0) {
    *bits->out++ = (uint8_t)bits->held;
    bits->held = 0;
    bits->count = 0;
  }
}
