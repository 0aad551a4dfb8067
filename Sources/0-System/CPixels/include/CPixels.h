#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The loops over all pixels. They are written so that the compiler can vectorise them on any processor: no instruction beyond the
 * baseline is needed. A pixel in memory is a word 0xXXRRGGBB with an undefined top byte; a packed pixel is one byte (gray) or
 * three (red, green, blue). Except for the band packer, no function keeps a pointer or can fail. */

/* Packs pixels as gray; returns whether every pixel was exactly gray. */
bool woodshed_pack_gray(const uint32_t *pixels, size_t count, uint8_t *packed);
void woodshed_pack_rgb(const uint32_t *pixels, size_t count, uint8_t *packed);
void woodshed_unpack_gray(const uint8_t *packed, size_t count, uint32_t *pixels);
void woodshed_unpack_rgb(const uint8_t *packed, size_t count, uint32_t *pixels);
/* Converts each gray byte to three equal bytes. */
void woodshed_gray_to_rgb(const uint8_t *gray, size_t count, uint8_t *rgb);
/* Whether the three bytes of every pixel are equal. */
bool woodshed_is_gray(const uint8_t *rgb, size_t count);
/* Whether every byte is 255. */
bool woodshed_is_white(const uint8_t *bytes, size_t count);
/* Converts every three equal bytes to one; the result may overwrite them. */
void woodshed_rgb_to_gray(const uint8_t *rgb, size_t count, uint8_t *gray);

/* The part of a band that has ink: from the first column and row to those after the last. */
struct woodshed_ink {
  size_t left, top, right, bottom;
};
/* How far a byte may differ from the paper and still count as paper; photographs of white paper are not quite even. */
enum { WOODSHED_PAPER_GRAIN = 4 };
/* Finds the ink in a band of `rows` rows, each of `row` bytes with a filter byte first. `color` is the colour of the paper, with as many
 * bytes as a pixel. Returns whether there is any ink. */
bool woodshed_find_ink(const uint8_t *band, size_t rows, size_t row, size_t channels, const uint8_t *color, struct woodshed_ink *ink);

/* PNG's filters by their numbers. All but NONE subtract a guess from every byte, made from the pixel before, the row above, or
 * both. NONE and SUB do not read `above`. */
enum { WOODSHED_FILTER_NONE, WOODSHED_FILTER_SUB, WOODSHED_FILTER_UP, WOODSHED_FILTER_AVERAGE, WOODSHED_FILTER_PAETH };
void woodshed_filter(int kind, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel, uint8_t *filtered);
void woodshed_unfilter(int kind, uint8_t *row, const uint8_t *above, size_t count, size_t pixel);
/* The filter that makes a band smallest, judging by a few of its rows. A band has `rows` rows of `row` bytes, including an ignored filter
 * byte. */
int woodshed_best_filter(const uint8_t *band, size_t rows, size_t row, size_t pixel);
/* Filters a band, and sets its filter bytes. Bands are independent, so the first row's filter uses only the pixels before. */
void woodshed_filter_band(int kind, const uint8_t *band, size_t rows, size_t row, size_t pixel, uint8_t *filtered);

/* Makes one row of a smaller image, in which each pixel is the exact mean of its area, from the `count` packed rows that the row covers.
 * The first of these rows has the weight `first`, the last one `last` (if it is not the first), and all between `whole`; no weight
 * exceeds 32767. `area` is the sum of the rows' weights times `source_width`. `sums` is room for 2 * source_width * channels numbers; the
 * width must not grow. */
void woodshed_shrink(const uint8_t *const *rows, size_t count, uint16_t first, uint16_t whole, uint16_t last, size_t source_width,
                     size_t channels, uint64_t area, uint8_t *target, size_t width, uint32_t *sums);

/* Compresses bands of packed rows with deflate. */
typedef struct woodshed_band_packer woodshed_band_packer;
woodshed_band_packer *woodshed_band_packer_create(void);
void woodshed_band_packer_destroy(woodshed_band_packer *packer);
/* The greatest size that `count` bytes can have when packed, including the room that writing needs. */
size_t woodshed_band_bound(size_t count);
/* Writes `count` bytes, in rows of `row` bytes and pixels of `pixel`, as deflate blocks, none of which is marked as the last; `filtered`
 * means that the bytes are differences, as for a photograph. The blocks refer to no earlier ones and end at a byte boundary, so that
 * bands can be joined in any way. Returns the number of bytes written; 0 if there is no memory. Equal bytes always give equal results. */
size_t woodshed_band_pack(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, size_t row, size_t pixel, bool filtered,
                          uint8_t *out);
