#include "musicparts.h"

/* Separates ink from paper: ink is clearly darker than the paper around it, which may be unevenly lit. */

enum { TILE = 64, MOST_TILES = (MOST_SIDE + TILE - 1) / TILE, LEVELS = 32 };

/* MARK: Paper */

struct paper {
  uint8_t *light;
  size_t columns, rows;
};

/* The light of a tile's paper: the level that at least three in ten of the tile's pixels reach. */
static uint8_t light_of(const uint8_t *gray, size_t width, size_t height, size_t stride) {
  uint32_t counts[LEVELS] = {0}, all = 0;
  for (size_t y = 1; y < height; y += 3)
    for (size_t x = y % 2; x < width; x += 2) counts[gray[y * stride + x] >> 3]++, all++;
  if (all == 0) return 255;
  uint32_t sum = 0;
  int level = LEVELS - 1;
  for (; level > 0; level--) {
    sum += counts[level];
    if (sum * 10 >= all * 3) break;
  }
  return (uint8_t)(level * 8 + 7);
}

static void smooth(struct paper *paper, uint8_t *room, bool is_largest) {
  for (size_t y = 0; y < paper->rows; y++)
    for (size_t x = 0; x < paper->columns; x++) {
      unsigned sum = 0, count = 0, best = 0;
      for (size_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < paper->rows; j++)
        for (size_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < paper->columns; i++) {
          const uint8_t light = paper->light[j * paper->columns + i];
          sum += light;
          count++;
          if (light > best) best = light;
        }
      room[y * paper->columns + x] = (uint8_t)(is_largest ? best : sum / count);
    }
  memcpy(paper->light, room, paper->columns * paper->rows);
}

/* MARK: Threshold */

/* How much darker than the paper ink must be, in 256ths of the paper's light: from 16 to 150. */
static unsigned needed_darkness(const uint8_t *gray, size_t width, size_t height, size_t stride, const struct paper *paper) {
  uint32_t shares[256] = {0}, steps[256] = {0}, all = 0;
  for (size_t y = 2; y < height; y += 5)
    for (size_t x = y % 3; x + 1 < width; x += 3) {
      const unsigned pixel = gray[y * stride + x], next = gray[y * stride + x + 1];
      const unsigned light = paper->light[y / TILE * paper->columns + x / TILE];
      shares[pixel >= light ? 255 : pixel * 255 / light]++;
      steps[pixel > next ? pixel - next : next - pixel]++;
      all++;
    }
  if (all == 0) return 64;
  /* The darkest 1 % are ink, if there is any at all. */
  uint32_t sum = 0;
  unsigned dark = 0;
  while (dark < 255 && (sum += shares[dark]) * 100 < all) dark++;
  /* Most pairs of neighbouring pixels are paper, so the median of all differences measures the paper's noise. */
  unsigned step = 0;
  for (sum = 0; step < 255; step++)
    if ((sum += steps[step]) * 2 >= all) break;
  /* With noise of deviation s, half of the differences are below 0.95 s. If the median is 0, there may still be some noise. */
  const unsigned contrast = 255 - dark, noise = step * 10 / 3;
  unsigned needed = contrast * 24 / 100;
  if (needed < noise) needed = noise;
  if (needed < 16) needed = 16;
  return needed > 150 ? 150 : needed;
}

/* MARK: Bits */

static inline uint64_t pack_bytes(const uint8_t *is_dark) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; i++) {
    uint64_t bytes = 0;
    for (size_t j = 0; j < 8; j++) bytes |= (uint64_t)is_dark[i * 8 + j] << (8 * j);
    /* Eight bytes of 0 or 1 become eight bits. */
    word |= (bytes * 0x0102040810204080U >> 56) << (8 * i);
  }
  return word;
}

static void pack_row(const uint8_t *gray, const uint8_t *limits, size_t width, uint64_t *row) {
  uint8_t is_dark[64];
  size_t x = 0;
  for (; x + 64 <= width; x += 64) {
    for (size_t i = 0; i < 64; i++) is_dark[i] = gray[x + i] < limits[x + i];
    row[x / 64] = pack_bytes(is_dark);
  }
  if (x == width) return;
  memset(is_dark, 0, sizeof is_dark);
  for (size_t i = 0; x + i < width; i++) is_dark[i] = gray[x + i] < limits[x + i];
  row[x / 64] = pack_bytes(is_dark);
}

/* The light at a place: it changes evenly from the middle of one tile to the middle of the next. */
static unsigned light_at(const uint8_t *lights, size_t count, size_t stride, size_t place) {
  const size_t shifted = place < TILE / 2 ? 0 : place - TILE / 2, tile = shifted / TILE;
  const unsigned way = shifted % TILE;
  if (tile + 1 >= count) return lights[(count - 1) * stride];
  return (lights[tile * stride] * (TILE - way) + lights[(tile + 1) * stride] * way) / TILE;
}

static void set_limits(const struct paper *paper, size_t y, size_t width, unsigned needed, uint8_t *lights, uint8_t *limits) {
  for (size_t column = 0; column < paper->columns; column++)
    lights[column] = (uint8_t)(light_at(paper->light + column, paper->rows, paper->columns, y) * (256 - needed) / 256);
  for (size_t x = 0; x < width; x++) limits[x] = (uint8_t)light_at(lights, paper->columns, 1, x);
}

static bool make_bits(struct page_bits *bits, size_t width, size_t height) {
  bits->width = width;
  bits->height = height;
  bits->row = (width + 63) / 64 + 1;
  bits->words = calloc(bits->row * height, sizeof *bits->words);
  return bits->words != NULL;
}

bool find_page_ink(const uint8_t *gray, size_t width, size_t height, size_t stride, struct page_bits *bits, uint8_t *doubts) {
  struct paper paper = {NULL, (width + TILE - 1) / TILE, (height + TILE - 1) / TILE};
  const size_t tiles = paper.columns * paper.rows;
  uint8_t *room = malloc(2 * tiles + paper.columns + width);
  if (!room) return false;
  if (!make_bits(bits, width, height)) {
    free(room);
    return false;
  }
  paper.light = room + tiles;
  uint8_t *lights = room + 2 * tiles, *limits = lights + paper.columns;
  unsigned brightest = 0;
  for (size_t y = 0; y < paper.rows; y++)
    for (size_t x = 0; x < paper.columns; x++) {
      const size_t left = x * TILE, top = y * TILE;
      const uint8_t light = light_of(gray + top * stride + left, width - left < TILE ? width - left : TILE,
                                     height - top < TILE ? height - top : TILE, stride);
      paper.light[y * paper.columns + x] = light;
      if (light > brightest) brightest = light;
    }
  /* A tile of black ink shows no paper, so it takes the light of its neighbours. */
  smooth(&paper, room, true);
  smooth(&paper, room, false);
  /* A tile that is much darker than the brightest paper is not paper in shadow, so its light is raised. */
  for (size_t i = 0; i < tiles; i++)
    if (paper.light[i] < brightest * 2 / 5) paper.light[i] = (uint8_t)(brightest * 2 / 5);
  if (brightest < 48) *doubts |= WOODSHED_DOUBT_IMAGE;
  const unsigned needed = needed_darkness(gray, width, height, stride, &paper);
  for (size_t y = 0; y < height; y++) {
    if (y % 8 == 0) set_limits(&paper, y, width, needed, lights, limits);
    pack_row(gray + y * stride, limits, width, bits->words + y * bits->row);
  }
  free(room);
  return true;
}

/* MARK: Slope */

enum { SLOPE_STRIPS = 48 };

/* How sharply rows differ when the page is turned back by a slope: `strips` has a count of ink for each strip and row. */
static uint64_t sharpness(const uint8_t *strips, size_t count, size_t rows, size_t strip_width, float slope, uint16_t *profile) {
  memset(profile, 0, rows * sizeof *profile);
  for (size_t strip = 0; strip < count; strip++) {
    const int shift = nearest(slope * ((float)strip - (float)(count - 1) / 2) * (float)strip_width);
    const size_t from = shift < 0 ? (size_t)-shift : 0, to = shift > 0 ? rows - (size_t)least(shift, (int)rows) : rows;
    const uint8_t *inks = strips + strip * rows;
    if (from >= rows) continue;
    const uint8_t *source = shift < 0 ? inks : inks + shift;
    uint16_t *sums = profile + from;
    const size_t length = to > from ? to - from : 0;
    for (size_t y = 0; y < length; y++) sums[y] = (uint16_t)(sums[y] + source[y]);
  }
  uint64_t sum = 0;
  for (size_t y = 1; y < rows; y++) {
    const int32_t step = (int32_t)profile[y] - (int32_t)profile[y - 1];
    sum += (uint64_t)(step * step);
  }
  return sum;
}

/* Finds the slope of nearly horizontal lines: of all slopes up to 3 degrees, the one that makes rows differ most. It stays 0 if the page is
 * too small. Returns false if there is no memory. */
bool find_page_slope(const struct page_bits *bits, float *found) {
  const size_t shrink = bits->height / 2048 + 1, rows = bits->height / shrink;
  size_t words = (bits->width + 63) / 64, every = words / SLOPE_STRIPS + 1;
  const size_t count = words / every;
  if (count < 2 || rows < 16) return true;
  uint8_t *strips = calloc(count * rows, 1);
  uint16_t *profile = malloc(rows * sizeof *profile);
  if (!strips || !profile) {
    free(strips);
    free(profile);
    return false;
  }
  /* A count may reach 64 for each of the rows that are combined; only three of them are counted, so that the sum fits into a byte. */
  const size_t counted = shrink < 3 ? shrink : 3;
  for (size_t y = 0; y < rows; y++)
    for (size_t j = 0; j < counted; j++) {
      const uint64_t *row = bits->words + (y * shrink + j) * bits->row;
      for (size_t strip = 0; strip < count; strip++)
        strips[strip * rows + y] = (uint8_t)(strips[strip * rows + y] + __builtin_popcountll(row[strip * every]));
    }
  const float strip_width = (float)(64 * every) / (float)shrink, span = strip_width * (float)count;
  const float step = 2 / span;
  float best = 0, slope = 0;
  const int reach = nearest(0.055F / step);
  uint64_t most_sharp = 0;
  for (int i = -reach; i <= reach; i++) {
    const uint64_t sharp = sharpness(strips, count, rows, (size_t)strip_width, step * (float)i, profile);
    /* Of equally good slopes, the first one stays; a straight page is preferred below. */
    if (sharp > most_sharp) most_sharp = sharp, slope = step * (float)i;
  }
  best = slope;
  for (int i = -3; i <= 3; i++) {
    const float finer = slope + step * (float)i / 4;
    const uint64_t sharp = sharpness(strips, count, rows, (size_t)strip_width, finer, profile);
    if (sharp > most_sharp) most_sharp = sharp, best = finer;
  }
  *found = sharpness(strips, count, rows, (size_t)strip_width, 0, profile) >= most_sharp ? 0 : best;
  free(strips);
  free(profile);
  return true;
}

/* MARK: Straightening */

bool straighten_page(const struct page_bits *bits, float slope, struct page_bits *straight, struct page_turn *turn) {
  const float width = (float)bits->width;
  turn->slope = slope;
  turn->drop = slope > 0 ? ceilf(slope * width) : 0;
  const size_t new_height = bits->height + (size_t)ceilf(fabsf(slope) * width);
  turn->push = slope < 0 ? ceilf(-slope * (float)new_height) : 0;
  const size_t new_width = bits->width + (size_t)ceilf(fabsf(slope) * (float)new_height);
  if (!make_bits(straight, new_width, new_height)) return false;
  const size_t bytes = (bits->width + 7) / 8;
  int32_t *shifts = malloc(bytes * sizeof *shifts);
  if (!shifts) return false;
  for (size_t i = 0; i < bytes; i++) shifts[i] = nearest(slope * (float)(i * 8 + 4)) - (int)turn->drop;
  uint64_t *line = calloc(bits->row, sizeof *line);
  if (!line) {
    free(shifts);
    return false;
  }
  /* Copy eight pixels at a time, as bytes of the words. The lowest byte of a word comes first on every processor
   * that this program runs on. */
  const uint8_t *source = (const uint8_t *)bits->words;
  const size_t row_bytes = bits->row * 8;
  for (size_t y = 0; y < new_height; y++) {
    uint8_t *target = (uint8_t *)line;
    for (size_t i = 0; i < bytes; i++) {
      const int64_t from = (int64_t)y + shifts[i];
      target[i] = from >= 0 && from < (int64_t)bits->height ? source[(size_t)from * row_bytes + i] : 0;
    }
    const int shift = within(nearest(slope * (float)y + turn->push), 0, (int)(new_width - bits->width));
    uint64_t *out = straight->words + y * straight->row;
    const size_t word = (size_t)shift / 64, bit = (size_t)shift % 64;
    for (size_t i = 0; i + 1 < bits->row; i++) {
      out[word + i] |= line[i] << bit;
      if (bit > 0 && word + i + 1 < straight->row) out[word + i + 1] |= line[i] >> (64 - bit);
    }
  }
  free(line);
  free(shifts);
  return true;
}
