#include "musicblobs.h"

enum { MOST_CELLS = 1500000 };

static int32_t root_of(struct blob_run *runs, int32_t run) {
  while (runs[run].blob != run) {
    runs[run].blob = runs[runs[run].blob].blob;
    run = runs[run].blob;
  }
  return run;
}

static void unite(struct blob_run *runs, int32_t a, int32_t b) {
  a = root_of(runs, a);
  b = root_of(runs, b);
  if (a < b) runs[b].blob = a;
  else runs[a].blob = b;
}

/* Adds the runs of inked cells in one row of the grid, and unites each with the runs that it touches in the row above,
 * whose first run is `above`. */
static void add_runs(struct blobs *blobs, const uint64_t *ink, int columns, int y, int above) {
  const int start = blobs->run_count;
  const size_t width = (size_t)blobs->cell_width;
  const uint64_t mask = (UINT64_C(1) << width) - 1;
  for (int column = 0; column < columns;) {
    const size_t x = (size_t)column * width, word = x / 64, bit = x % 64;
    if (ink[word] >> bit == 0) {
      /* The rest of this word has no ink, but the cell at its end may reach into the next word. */
      const int next = (int)((word + 1) * 64 / width);
      if (next > column) {
        column = next;
        continue;
      }
    }
    uint64_t cell = ink[word] >> bit;
    if (bit + width > 64) cell |= ink[word + 1] << (64 - bit);
    if (!(cell & mask)) {
      column++;
      continue;
    }
    const int from = column;
    while (column < columns) {
      const size_t place = (size_t)column * width, here = place / 64, shift = place % 64;
      uint64_t next = ink[here] >> shift;
      if (shift + width > 64) next |= ink[here + 1] << (64 - shift);
      if (!(next & mask)) break;
      column++;
    }
    blobs->runs[blobs->run_count] = (struct blob_run){from, column, y, blobs->run_count};
    blobs->run_count++;
  }
  int other = above;
  for (int i = start; i < blobs->run_count; i++) {
    const struct blob_run *run = &blobs->runs[i];
    while (other < start && blobs->runs[other].x1 < run->x0) other++;
    for (int j = other; j < start && blobs->runs[j].x0 <= run->x1; j++) unite(blobs->runs, j, i);
  }
}

static bool gather(struct blobs *blobs) {
  for (int i = 0; i < blobs->run_count; i++)
    if (root_of(blobs->runs, i) == i) blobs->count++;
  blobs->all = calloc((size_t)blobs->count + 1, sizeof *blobs->all);
  int32_t *numbers = malloc(((size_t)blobs->run_count + 1) * sizeof *numbers);
  if (!blobs->all || !numbers) {
    free(numbers);
    return false;
  }
  int count = 0;
  for (int i = 0; i < blobs->run_count; i++) {
    struct blob_run *run = &blobs->runs[i];
    /* The root of a blob is the first of its runs, so it has been numbered already. */
    const int32_t root = root_of(blobs->runs, i);
    if (root == i) {
      numbers[i] = count;
      blobs->all[count++] = (struct blob){INT32_MAX, INT32_MAX, 0, 0, 0, BLOB_FREE};
    } else {
      numbers[i] = numbers[root];
    }
    struct blob *blob = &blobs->all[numbers[i]];
    blob->x0 = least(blob->x0, run->x0 * blobs->cell_width);
    blob->x1 = most(blob->x1, run->x1 * blobs->cell_width);
    blob->y0 = least(blob->y0, run->y * blobs->cell_height);
    blob->y1 = most(blob->y1, (run->y + 1) * blobs->cell_height);
    blob->cells += run->x1 - run->x0;
  }
  for (int i = 0; i < blobs->run_count; i++) blobs->runs[i].blob = numbers[i];
  free(numbers);
  return true;
}

bool find_blobs(const struct page_bits *bits, float space, struct blobs *blobs) {
  *blobs = (struct blobs){0};
  blobs->cell_width = within(nearest(space / 3), 1, 24);
  blobs->cell_height = within(nearest(space / 6), 1, 24);
  size_t cells;
  while ((cells = (bits->width / (size_t)blobs->cell_width + 1) * (bits->height / (size_t)blobs->cell_height + 1)) > MOST_CELLS &&
         blobs->cell_width < 40) {
    blobs->cell_width += blobs->cell_width / 2 + 1;
    blobs->cell_height += blobs->cell_height / 2 + 1;
  }
  const int columns = (int)((bits->width + (size_t)blobs->cell_width - 1) / (size_t)blobs->cell_width);
  const size_t rows = (bits->height + (size_t)blobs->cell_height - 1) / (size_t)blobs->cell_height;
  blobs->runs = malloc((((size_t)columns / 2 + 1) * rows + 1) * sizeof *blobs->runs);
  uint64_t *ink = calloc(bits->row + 2, sizeof *ink);
  bool is_done = blobs->runs && ink;
  int above = 0;
  for (size_t y = 0; is_done && y < rows; y++) {
    memset(ink, 0, bits->row * sizeof *ink);
    for (size_t j = y * (size_t)blobs->cell_height; j < (y + 1) * (size_t)blobs->cell_height && j < bits->height; j++) {
      const uint64_t *row = bits->words + j * bits->row;
      for (size_t i = 0; i < bits->row; i++) ink[i] |= row[i];
    }
    const int start = blobs->run_count;
    add_runs(blobs, ink, columns, (int)y, above);
    above = start;
  }
  free(ink);
  is_done = is_done && gather(blobs);
  if (!is_done) free_blobs(blobs);
  return is_done;
}

void free_blobs(struct blobs *blobs) {
  free(blobs->runs);
  free(blobs->all);
  *blobs = (struct blobs){0};
}
