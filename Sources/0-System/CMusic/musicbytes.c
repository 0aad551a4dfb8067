#include "musicparts.h"

/* Writes the music that was found on a page as bytes; CMusic.h describes the format. */

struct writer {
  uint8_t *next;
  float width, height;
};

static void put(struct writer *writer, unsigned number) {
  *writer->next++ = (uint8_t)(number >> 8);
  *writer->next++ = (uint8_t)number;
}

static void put_share(struct writer *writer, float part, float whole) {
  put(writer, (unsigned)within(nearest(part * 10000 / whole), 0, 10000));
}

static void put_x(struct writer *writer, float x) { put_share(writer, x, writer->width); }
static void put_y(struct writer *writer, float y) { put_share(writer, y, writer->height); }

static void put_edge(struct writer *writer, struct woodshed_music_edge edge) {
  put_y(writer, edge.left);
  put_y(writer, edge.right);
}

static void put_box(struct writer *writer, struct woodshed_music_box box) {
  put_x(writer, box.x0);
  put_y(writer, box.y0);
  put_x(writer, box.x1);
  put_y(writer, box.y1);
}

static void put_system(struct writer *writer, const struct woodshed_music_system *system) {
  put_box(writer, system->box);
  put_edge(writer, system->top);
  put_edge(writer, system->bottom);
  put_edge(writer, system->cut_above);
  put_edge(writer, system->cut_below);
  put(writer, system->first_staff);
  put(writer, system->staves);
  put(writer, system->first_bar);
  put(writer, system->bars);
  put(writer, system->is_sure);
  put(writer, system->doubts);
}

static void put_staff(struct writer *writer, const struct woodshed_music_staff *staff) {
  put_x(writer, staff->x0);
  put_x(writer, staff->x1);
  put_edge(writer, staff->top);
  put_edge(writer, staff->bottom);
  put(writer, (unsigned)within(nearest(staff->space * 100000 / writer->height), 0, UINT16_MAX));
  put(writer, staff->lines);
  put(writer, staff->system);
}

static void put_bar(struct writer *writer, const struct woodshed_music_bar *bar) {
  put_x(writer, bar->x);
  put_x(writer, bar->x_below);
  put(writer, (unsigned)(bar->staves & UINT16_MAX));
  put(writer, bar->is_heavy);
}

static size_t write_music(const struct woodshed_page_music *music, size_t width, size_t height, uint8_t *bytes) {
  struct writer writer = {bytes, fmaxf(1, (float)width), fmaxf(1, (float)height)};
  put(&writer, WOODSHED_MUSIC_VERSION);
  put(&writer, music->is_sure);
  put(&writer, music->doubts);
  put(&writer, (unsigned)(9000 + nearest(music->slant_degrees * 100)));
  put(&writer, music->system_count);
  put(&writer, music->stave_count);
  put(&writer, music->bar_count);
  put(&writer, music->block_count);
  put(&writer, music->white_count);
  put(&writer, music->is_turned);
  for (int i = 0; i < 2; i++) put(&writer, 0);
  put_box(&writer, music->ink);
  for (int i = 0; i < music->system_count; i++) put_system(&writer, &music->systems[i]);
  for (int i = 0; i < music->stave_count; i++) put_staff(&writer, &music->staves[i]);
  for (int i = 0; i < music->bar_count; i++) put_bar(&writer, &music->bars[i]);
  for (int i = 0; i < music->block_count; i++) {
    put_box(&writer, music->blocks[i].box);
    put(&writer, music->blocks[i].where);
  }
  for (int i = 0; i < music->white_count; i++) {
    put_y(&writer, music->whites[i].y0);
    put_y(&writer, music->whites[i].y1);
  }
  return (size_t)(writer.next - bytes);
}

/* Images are shrunk until their longer side has about this many pixels: a larger image shows no more music, and takes longer to
 * examine. */
enum { USUAL_SIDE = 1700 };

/* Eight times how light a pixel is. */
static inline uint32_t lightness(uint32_t pixel) { return 2 * (pixel >> 16 & 255) + 5 * (pixel >> 8 & 255) + (pixel & 255); }

/* The image in gray, each side divided by `step`; `sums` has room for a row of pixels. All of these loops over pixels are ones that the
 * compiler can vectorise. */
static void shrink(const uint32_t *pixels, size_t width, size_t step, uint32_t *sums, uint8_t *gray, size_t columns, size_t rows) {
  if (step == 1) {
    for (size_t i = 0; i < columns * rows; i++) gray[i] = (uint8_t)(lightness(pixels[i]) / 8);
    return;
  }
  const uint32_t weight = (uint32_t)(8 * step * step);
  for (size_t y = 0; y < rows; y++) {
    memset(sums, 0, width * sizeof *sums);
    for (size_t j = 0; j < step; j++) {
      const uint32_t *row = pixels + (y * step + j) * width;
      for (size_t x = 0; x < width; x++) sums[x] += lightness(row[x]);
    }
    for (size_t x = 0; x < columns; x++) {
      uint32_t sum = 0;
      for (size_t i = 0; i < step; i++) sum += sums[x * step + i];
      gray[y * columns + x] = (uint8_t)(sum / weight);
    }
  }
}

/* A smaller image in gray of the given pixels, and the music on it. */
static struct found_music *examine_pixels(const uint32_t *pixels, size_t width, size_t height) {
  const size_t side = width > height ? width : height, step = side < USUAL_SIDE ? 1 : (side + USUAL_SIDE / 2) / USUAL_SIDE;
  const size_t columns = width / step, rows = height / step;
  uint8_t *gray = malloc(columns * rows + 1);
  uint32_t *sums = malloc(width * sizeof *sums + 1);
  struct found_music *found = malloc(sizeof *found);
  bool is_done = false;
  if (gray && sums && found) {
    shrink(pixels, width, step, sums, gray, columns, rows);
    is_done = find_page_music(gray, columns, rows, columns, found);
    if (!is_done) free_page_music(found);
  } else {
    free(found);
  }
  free(gray);
  free(sums);
  return is_done ? found : NULL;
}

static size_t write_found(const struct found_music *found, uint8_t *bytes) {
  struct woodshed_page_music *music = malloc(sizeof *music);
  if (!music) return 0;
  report_music(found, music);
  const size_t written = write_music(music, found->page_width, found->page_height, bytes);
  free(music);
  return written;
}

size_t woodshed_write_music(const uint32_t *pixels, size_t width, size_t height, uint8_t *bytes) {
  struct found_music *found = examine_pixels(pixels, width, height);
  const size_t written = found ? write_found(found, bytes) : 0;
  free_page_music(found);
  return written;
}

/* Where the staff's middle line crosses a column's edge. */
static void put_end(struct writer *writer, const struct found_music *found, const struct found_staff *staff, float x) {
  const float y = (staff_top(staff, x) + staff_bottom(staff, x)) / 2;
  put_x(writer, back_x(&found->turn, x, y));
  put_y(writer, back_y(&found->turn, x, y));
}

size_t woodshed_write_map(const uint32_t *pixels, size_t width, size_t height, uint8_t *bytes) {
  struct found_music *found = examine_pixels(pixels, width, height);
  if (!found) return 0;
  const size_t length = write_found(found, bytes + 8);
  struct writer writer = {bytes, fmaxf(1, (float)found->page_width), fmaxf(1, (float)found->page_height)};
  put(&writer, WOODSHED_MAP_VERSION);
  put(&writer, (unsigned)found->page_width);
  put(&writer, (unsigned)found->page_height);
  put(&writer, (unsigned)length);
  writer.next += length;
  bool is_done = length > 0;
  for (int i = 0; i < found->system_count && is_done; i++) {
    const struct found_system *system = &found->systems[i];
    const int columns = profile_columns(system);
    put(&writer, (unsigned)columns);
    for (int j = system->first; j < system->first + system->count && is_done; j++) {
      put_end(&writer, found, &found->staves[j], (float)system->x0);
      put_end(&writer, found, &found->staves[j], (float)system->x1);
      is_done = write_profile(found, j, writer.next);
      writer.next += (size_t)columns * WOODSHED_COLUMN_BYTES;
    }
  }
  free_page_music(found);
  return is_done ? (size_t)(writer.next - bytes) : 0;
}
