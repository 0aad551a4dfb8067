#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The loops that go through every pixel. They are written so that the compiler can make vectors of them on any processor: nothing
 * here needs an instruction beyond the baseline. A pixel in memory is a word 0xXXRRGGBB, its top byte undefined; a packed
 * pixel is one byte (gray) or three (red, green, blue). Except for the band packer, nothing here keeps a pointer or can fail. */

/* Packs as gray; answers whether every pixel was exactly gray. */
bool woodshed_pack_gray(const uint32_t *pixels, size_t count, uint8_t *packed);
void woodshed_pack_rgb(const uint32_t *pixels, size_t count, uint8_t *packed);
void woodshed_unpack_gray(const uint8_t *packed, size_t count, uint32_t *pixels);
void woodshed_unpack_rgb(const uint8_t *packed, size_t count, uint32_t *pixels);
/* Gray to three equal bytes. */
void woodshed_gray_to_rgb(const uint8_t *gray, size_t count, uint8_t *rgb);
/* Whether the three bytes of every pixel are equal. */
bool woodshed_is_gray(const uint8_t *rgb, size_t count);
/* Whether every byte is 255. */
bool woodshed_is_white(const uint8_t *bytes, size_t count);
/* Three equal bytes to one; the result may overwrite them. */
void woodshed_rgb_to_gray(const uint8_t *rgb, size_t count, uint8_t *gray);

/* The part of a band that has ink: from the first column and row to the one after the last. */
struct woodshed_ink {
  size_t left, top, right, bottom;
};
/* By how much a byte may differ from the paper without being seen; photographs of white paper are not quite even. */
enum { WOODSHED_PAPER_GRAIN = 4 };
/* Finds the ink in a band of `rows` rows, each of `row` bytes with a filter byte first, on paper of this color, which has as many bytes
 * as a pixel; answers whether there is any. */
bool woodshed_find_ink(const uint8_t *band, size_t rows, size_t row, size_t channels, const uint8_t *color, struct woodshed_ink *ink);

/* PNG's filters by their numbers: each byte minus a guess from the pixel before it, the row above, or both. `above` is not
 * read if only the pixel before counts. */
enum { WOODSHED_FILTER_NONE, WOODSHED_FILTER_SUB, WOODSHED_FILTER_UP, WOODSHED_FILTER_AVERAGE, WOODSHED_FILTER_PAETH };
void woodshed_filter(int kind, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel, uint8_t *filtered);
void woodshed_unfilter(int kind, uint8_t *row, const uint8_t *above, size_t count, size_t pixel);
/* The filter that leaves the least of a band of `rows` rows, each of `row` bytes, including its filter byte, which is not looked at. */
int woodshed_best_filter(const uint8_t *band, size_t rows, size_t row, size_t pixel);
/* Filters a band, and sets its filter bytes. Bands are independent: the first row is filtered by the pixels before. */
void woodshed_filter_band(int kind, const uint8_t *band, size_t rows, size_t row, size_t pixel, uint8_t *filtered);

/* The exact mean of areas: one row of a smaller image from the `count` packed rows that it covers, with `area` parts to a pixel in all.
 * The first of them counts `first` times, the last one `last` times (if it is not the first), all between `whole` times, none more
 * than 32767 times. `sums` is room for 2 * source_width * channels numbers; the width must not grow. */
void woodshed_shrink(const uint8_t *const *rows, size_t count, uint16_t first, uint16_t whole, uint16_t last, size_t source_width,
                     size_t channels, uint64_t area, uint8_t *target, size_t width, uint32_t *sums);

/* Compresses bands of packed rows with deflate. */
typedef struct woodshed_band_packer woodshed_band_packer;
woodshed_band_packer *woodshed_band_packer_create(void);
void woodshed_band_packer_destroy(woodshed_band_packer *packer);
/* The most bytes that a band of `count` bytes can become, including the room that writing needs. */
size_t woodshed_band_bound(size_t count);
/* Writes `count` bytes, in rows of `row` bytes and pixels of `pixel`, as deflate blocks none of which is the last; `filtered` says
 * that these are differences, as for a photograph. The blocks refer to nothing before them and end on a whole byte, so that bands
 * can be put together in any way. Answers how many bytes were written; 0 if there is no memory. Equal bytes always give equal
 * results. */
size_t woodshed_band_pack(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, size_t row, size_t pixel, bool filtered,
                          uint8_t *out);
