#include "musicparts.h"

/* Runs the whole examination, and converts its results to the given image's pixels. */

static float limited(float number, float most_allowed) { return number < 0 ? 0 : number > most_allowed ? most_allowed : number; }

struct page_size {
  float width, height;
};

/* The upright box, in the image's pixels, around a box of the straightened page. */
static struct woodshed_music_box box_around(const struct page_turn *turn, struct page_size size, float x0, float y0, float x1, float y1) {
  const float xs[4] = {back_x(turn, x0, y0), back_x(turn, x0, y1), back_x(turn, x1, y0), back_x(turn, x1, y1)};
  const float ys[4] = {back_y(turn, x0, y0), back_y(turn, x0, y1), back_y(turn, x1, y0), back_y(turn, x1, y1)};
  struct woodshed_music_box box = {xs[0], ys[0], xs[0], ys[0]};
  for (int i = 1; i < 4; i++) {
    box.x0 = fminf(box.x0, xs[i]);
    box.y0 = fminf(box.y0, ys[i]);
    box.x1 = fmaxf(box.x1, xs[i]);
    box.y1 = fmaxf(box.y1, ys[i]);
  }
  return (struct woodshed_music_box){limited(box.x0, size.width), limited(box.y0, size.height), limited(box.x1, size.width),
                                     limited(box.y1, size.height)};
}

/* A slope of less than this, three tenths of a degree, does not disturb anybody who reads. */
static const float LEAST_SLANT = 0.005236F;

/* Whether the page lies askew: its lines slope, and most staves are sure and agree about how much, as in a picture of a page. */
static bool is_slanted(const struct found_music *found) {
  int agreeing = 0;
  for (int i = 0; i < found->staff_count; i++) {
    const struct found_staff *staff = &found->staves[i];
    const bool is_level = fabsf(staff->top_slope + staff->bottom_slope) / 2 < LEAST_SLANT;
    agreeing += is_level && !staff->is_weak && staff->confidence >= 0.7F;
  }
  return fabsf(found->turn.slope) >= LEAST_SLANT && 2 * agreeing > found->staff_count;
}

/* The heights, at two places across the image, of a row of the straightened page. */
static struct woodshed_music_edge edge_at(const struct page_turn *turn, struct page_size size, float y, float x0, float x1) {
  return (struct woodshed_music_edge){limited(y - turn->drop + turn->slope * x0, size.height),
                                      limited(y - turn->drop + turn->slope * x1, size.height)};
}

static struct woodshed_music_edge cut_at(const struct found_music *found, struct page_size size, float y, float x0, float x1) {
  const float shown = limited(shown_y(found, y), size.height);
  return found->is_turned ? (struct woodshed_music_edge){shown, shown} : edge_at(&found->turn, size, y, x0, x1);
}

static void report_staves(const struct found_music *found, struct woodshed_page_music *music) {
  const struct page_turn *turn = &found->turn;
  music->stave_count = (uint16_t)found->staff_count;
  for (int i = 0; i < found->staff_count; i++) {
    const struct found_staff *staff = &found->staves[i];
    const float x0 = (float)staff->x0, x1 = (float)staff->x1;
    music->staves[i] = (struct woodshed_music_staff){
        .x0 = back_x(turn, x0, staff_top(staff, x0)),
        .x1 = back_x(turn, x1, staff_top(staff, x1)),
        .top = {back_y(turn, x0, staff_top(staff, x0)), back_y(turn, x1, staff_top(staff, x1))},
        .bottom = {back_y(turn, x0, staff_bottom(staff, x0)), back_y(turn, x1, staff_bottom(staff, x1))},
        .space = staff->space,
        .lines = (uint8_t)staff->lines,
        .system = (uint8_t)staff->system,
        .confidence = staff->confidence,
    };
  }
}

static void report_systems(const struct found_music *found, struct page_size size, struct woodshed_page_music *music) {
  const struct page_turn *turn = &found->turn;
  music->system_count = (uint16_t)found->system_count;
  music->confidence = 1;
  int bar = 0;
  for (int i = 0; i < found->system_count; i++) {
    const struct found_system *system = &found->systems[i];
    struct woodshed_music_system *result = &music->systems[i];
    result->box = box_around(turn, size, (float)system->ink_x0, system->top, (float)system->ink_x1, system->bottom);
    result->top = edge_at(turn, size, system->top, result->box.x0, result->box.x1);
    result->bottom = edge_at(turn, size, system->bottom, result->box.x0, result->box.x1);
    result->cut_above = cut_at(found, size, system->cut_above, result->box.x0, result->box.x1);
    result->cut_below = cut_at(found, size, system->cut_below, result->box.x0, result->box.x1);
    result->first_staff = (uint8_t)system->first;
    result->staves = (uint8_t)system->count;
    result->first_bar = (uint16_t)bar;
    while (bar < found->bar_count && found->bars[bar].system == i) bar++;
    result->bars = (uint16_t)(bar - result->first_bar);
    float confidence = system->join_confidence;
    confidence = fminf(confidence, fminf(system->above_confidence, system->below_confidence));
    for (int j = system->first; j < system->first + system->count; j++) confidence = fminf(confidence, found->staves[j].confidence);
    result->confidence = confidence;
    /* Staves that found no room may be part of any system. */
    result->doubts = system->doubts | (found->doubts & WOODSHED_DOUBT_FULL);
    result->is_sure = result->doubts == 0;
    music->is_sure = music->is_sure && result->is_sure;
    music->doubts |= result->doubts;
    music->confidence = fminf(music->confidence, confidence);
  }
}

static void report_bars(const struct found_music *found, struct woodshed_page_music *music) {
  const struct page_turn *turn = &found->turn;
  music->bar_count = (uint16_t)found->bar_count;
  for (int i = 0; i < found->bar_count; i++) {
    const struct found_bar *bar = &found->bars[i];
    const struct found_system *system = &found->systems[bar->system];
    music->bars[i] = (struct woodshed_music_bar){
        .x = back_x(turn, bar->x, system->staff_top),
        .x_below = back_x(turn, bar->x_below, system->staff_bottom),
        .staves = bar->staves,
        .is_heavy = bar->is_heavy,
        .confidence = bar->confidence,
    };
  }
}

static void report_whites(const struct found_music *found, struct woodshed_page_music *music) {
  for (size_t y = 0; y < found->page_height && found->is_inked; y++) {
    if (found->is_inked[y]) continue;
    const size_t start = y;
    while (y < found->page_height && !found->is_inked[y]) y++;
    if (music->white_count == WOODSHED_MOST_WHITES) {
      music->doubts |= WOODSHED_DOUBT_FULL;
      return;
    }
    music->whites[music->white_count++] = (struct woodshed_music_white){(float)start, (float)y};
  }
}

static void report(const struct found_music *found, struct page_size size, struct woodshed_page_music *music) {
  music->doubts = found->doubts;
  music->is_sure = found->doubts == 0;
  music->slant_degrees = atanf(found->turn.slope) * 57.29578F;
  music->is_turned = found->is_turned;
  report_staves(found, music);
  report_systems(found, size, music);
  report_bars(found, music);
  music->block_count = (uint16_t)found->block_count;
  for (int i = 0; i < found->block_count; i++) {
    const struct found_block *block = &found->blocks[i];
    music->blocks[i].box = box_around(&found->turn, size, (float)block->x0, (float)block->y0, (float)block->x1, (float)block->y1);
    music->blocks[i].where = (uint8_t)block->where;
    if (!found->is_turned) continue;
    music->blocks[i].box.y0 = limited(shown_y(found, (float)block->y0), size.height);
    music->blocks[i].box.y1 = limited(shown_y(found, (float)block->y1), size.height);
  }
  report_whites(found, music);
  music->ink = box_around(&found->turn, size, (float)found->ink_x0, (float)found->ink_y0, (float)found->ink_x1, (float)found->ink_y1);
}

/* Whether more than three tenths of the pixels are ink: what is found on such a page is doubtful. */
static bool is_mostly_ink(const struct page_bits *bits, size_t pixels) {
  size_t inks = 0;
  for (size_t i = 0; i < bits->row * bits->height; i++) inks += (size_t)__builtin_popcountll(bits->words[i]);
  return inks > pixels / 10 * 3;
}

static bool examine(struct found_music *found) {
  if (!find_staves(found)) return false;
  found->is_turned = is_slanted(found);
  find_systems(found);
  find_bars(found);
  remove_dividers(found);
  return find_extents(found);
}

bool find_page_music(const uint8_t *gray, size_t width, size_t height, size_t stride, struct found_music *found) {
  memset(found, 0, sizeof *found);
  const bool is_small = width < LEAST_SIDE || height < LEAST_SIDE, is_large = width > MOST_SIDE || height > MOST_SIDE;
  found->page_width = width;
  found->page_height = height;
  if (is_small || is_large || width * height > MOST_PIXELS || stride < width) {
    found->doubts = WOODSHED_DOUBT_IMAGE;
    return true;
  }
  struct page_bits bits = {0};
  float slope = 0;
  found->is_inked = calloc(height, sizeof *found->is_inked);
  bool is_done = found->is_inked && find_page_ink(gray, width, height, stride, &bits, &found->doubts);
  is_done = is_done && find_page_slope(&bits, &slope) && straighten_page(&bits, slope, &found->bits, &found->turn);
  free(bits.words);
  if (is_done && is_mostly_ink(&found->bits, width * height)) found->doubts |= WOODSHED_DOUBT_IMAGE;
  return is_done && examine(found);
}

void free_page_music(struct found_music *found) {
  if (found) {
    free(found->bits.words);
    free(found->is_inked);
  }
  free(found);
}

void report_music(const struct found_music *found, struct woodshed_page_music *music) {
  memset(music, 0, sizeof *music);
  report(found, (struct page_size){(float)found->page_width, (float)found->page_height}, music);
}

bool woodshed_find_music(const uint8_t *gray, size_t width, size_t height, size_t stride, struct woodshed_page_music *music) {
  memset(music, 0, sizeof *music);
  struct found_music *found = malloc(sizeof *found);
  const bool is_done = found && find_page_music(gray, width, height, stride, found);
  if (is_done) report_music(found, music);
  free_page_music(found);
  return is_done;
}
