#include "CPixels.h"

bool woodshed_pack_gray(const uint32_t *pixels, size_t count, uint8_t *packed) {
  uint32_t difference = 0;
  for (size_t x = 0; x < count; x++) {
    uint32_t word = pixels[x];
    /* Compares green with blue in the lowest byte, red with green in the next. */
    difference |= word ^ (word >> 8);
    packed[x] = (uint8_t)word;
  }
  return (difference & 0xffff) == 0;
}

/* Stores twelve bytes as three words, with the first byte lowest, whatever the processor's byte order. */
static inline void store12(uint8_t *bytes, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t words[3] = {a, b, c};
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  for (int i = 0; i < 3; i++) words[i] = __builtin_bswap32(words[i]);
#endif
  __builtin_memcpy(bytes, words, 12);
}

static inline uint32_t load4(const uint8_t *bytes) {
  uint32_t word;
  __builtin_memcpy(&word, bytes, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap32(word);
#endif
  return word;
}

void woodshed_pack_rgb(const uint32_t *pixels, size_t count, uint8_t *packed) {
  size_t x = 0;
  /* Four words become three, so that memory is written in whole words. */
  for (; x + 4 <= count; x += 4, packed += 12) {
    uint32_t a = __builtin_bswap32(pixels[x] << 8), b = __builtin_bswap32(pixels[x + 1] << 8);
    uint32_t c = __builtin_bswap32(pixels[x + 2] << 8), d = __builtin_bswap32(pixels[x + 3] << 8);
    store12(packed, a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8);
  }
  for (; x < count; x++, packed += 3) {
    packed[0] = (uint8_t)(pixels[x] >> 16);
    packed[1] = (uint8_t)(pixels[x] >> 8);
    packed[2] = (uint8_t)pixels[x];
  }
}

void woodshed_unpack_gray(const uint8_t *packed, size_t count, uint32_t *pixels) {
  for (size_t x = 0; x < count; x++) {
    uint32_t gray = packed[x];
    pixels[x] = gray | gray << 8 | gray << 16;
  }
}

void woodshed_unpack_rgb(const uint8_t *packed, size_t count, uint32_t *pixels) {
  size_t x = 0;
  for (; x + 4 <= count; x += 4, packed += 12) {
    const uint32_t a = load4(packed), b = load4(packed + 4), c = load4(packed + 8);
    pixels[x] = __builtin_bswap32(a << 8);
    pixels[x + 1] = __builtin_bswap32((a >> 24 | b << 8) << 8);
    pixels[x + 2] = __builtin_bswap32((b >> 16 | c << 16) << 8);
    pixels[x + 3] = __builtin_bswap32(c >> 8 << 8);
  }
  for (; x < count; x++, packed += 3) pixels[x] = (uint32_t)packed[0] << 16 | (uint32_t)packed[1] << 8 | packed[2];
}

static inline void gray_to_rgb4(const uint8_t *gray, uint8_t *rgb) {
  const uint32_t a = gray[0], b = gray[1], c = gray[2], d = gray[3];
  store12(rgb, a * 0x010101 | b << 24, b * 0x0101 | c * 0x01010000, c | d * 0x01010100);
}

void woodshed_gray_to_rgb(const uint8_t *gray, size_t count, uint8_t *rgb) {
  size_t x = 0;
  for (; x + 8 <= count; x += 8, rgb += 24) {
    uint64_t word;
    __builtin_memcpy(&word, gray + x, 8);
    /* Most of a page is paper: eight equal bytes of gray become equal bytes in colour, too. */
    if (word == (word << 8 | word >> 56)) {
      const uint64_t words[3] = {word, word, word};
      __builtin_memcpy(rgb, words, 24);
    } else {
      gray_to_rgb4(gray + x, rgb);
      gray_to_rgb4(gray + x + 4, rgb + 12);
    }
  }
  for (; x < count; x++, rgb += 3) rgb[0] = rgb[1] = rgb[2] = gray[x];
}

bool woodshed_is_gray(const uint8_t *rgb, size_t count) {
  uint8_t difference = 0;
  /* Compare in pieces, to stop soon after the first colour. */
  for (size_t x = 0; x < count && difference == 0;) {
    const size_t end = count - x < 128 ? count : x + 128;
    for (; x < end; x++) difference |= (uint8_t)(rgb[3 * x] ^ rgb[3 * x + 1]) | (uint8_t)(rgb[3 * x] ^ rgb[3 * x + 2]);
  }
  return difference == 0;
}

void woodshed_rgb_to_gray(const uint8_t *rgb, size_t count, uint8_t *gray) {
  for (size_t x = 0; x < count; x++) gray[x] = rgb[3 * x];
}

bool woodshed_is_white(const uint8_t *bytes, size_t count) {
  uint8_t all = 0xff;
  /* Check in pieces, to stop soon after the first ink. */
  for (size_t x = 0; x < count && all == 0xff;) {
    const size_t end = count - x < 256 ? count : x + 256;
    for (; x < end; x++) all &= bytes[x];
  }
  return all == 0xff;
}
