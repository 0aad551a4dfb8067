#include "CPixels.h"
#include <string.h>

/* A multiple of three, so that every piece of a row begins with a whole pixel. */
enum { PIECE = 192 };

/* The least and the greatest value that each byte of a piece may have without being ink. */
struct paper {
  uint8_t least[PIECE], most[PIECE];
};

static struct paper paper_of(const uint8_t *color, size_t channels) {
  struct paper paper;
  for (size_t i = 0; i < PIECE; i++) {
    const uint8_t value = color[i % channels];
    paper.least[i] = value > WOODSHED_PAPER_GRAIN ? value - WOODSHED_PAPER_GRAIN : 0;
    paper.most[i] = value < 255 - WOODSHED_PAPER_GRAIN ? value + WOODSHED_PAPER_GRAIN : 255;
  }
  return paper;
}

/* Checks a piece as a whole, without a branch for each byte, so that the compiler can vectorise the loop. */
static bool has_ink(const struct paper *paper, const uint8_t *bytes, size_t count) {
  uint8_t ink = 0;
  for (size_t i = 0; i < count; i++) ink |= (uint8_t)(bytes[i] < paper->least[i]) | (uint8_t)(bytes[i] > paper->most[i]);
  return ink != 0;
}

/* The index of the first byte with ink in a stretch; `count` if there is none. */
static size_t first_ink(const struct paper *paper, const uint8_t *bytes, size_t count) {
  for (size_t start = 0; start < count; start += PIECE) {
    const size_t length = count - start < PIECE ? count - start : PIECE;
    if (!has_ink(paper, bytes + start, length)) continue;
    for (size_t i = 0; i < length; i++)
      if (bytes[start + i] < paper->least[i] || bytes[start + i] > paper->most[i]) return start + i;
  }
  return count;
}

/* The index after the last byte with ink in a stretch that begins with a whole pixel; 0 if there is none. */
static size_t last_ink(const struct paper *paper, const uint8_t *bytes, size_t count) {
  for (size_t end = count; end > 0;) {
    const size_t start = (end - 1) / PIECE * PIECE;
    if (has_ink(paper, bytes + start, end - start))
      for (size_t i = end - start; i > 0; i--)
        if (bytes[start + i - 1] < paper->least[i - 1] || bytes[start + i - 1] > paper->most[i - 1]) return start + i;
    end = start;
  }
  return 0;
}

bool woodshed_find_ink(const uint8_t *band, size_t rows, size_t row, size_t channels, const uint8_t *color,
                       struct woodshed_ink *ink) {
  const struct paper paper = paper_of(color, channels);
  const size_t count = row - 1;
  size_t top = 0, bottom = rows;
  while (top < rows && first_ink(&paper, band + top * row + 1, count) == count) top++;
  if (top == rows) return false;
  while (last_ink(&paper, band + (bottom - 1) * row + 1, count) == 0) bottom--;
  /* In the rows between, check only the bytes to the left and right of the ink found so far. */
  size_t left = count, right = 0;
  for (size_t y = top; y < bottom; y++) {
    const uint8_t *bytes = band + y * row + 1;
    left = first_ink(&paper, bytes, left);
    const size_t done = right / PIECE * PIECE;
    const size_t found = last_ink(&paper, bytes + done, count - done);
    if (found > 0 && done + found > right) right = done + found;
  }
  *ink = (struct woodshed_ink){left / channels, top, (right + channels - 1) / channels, bottom};
  return true;
}
