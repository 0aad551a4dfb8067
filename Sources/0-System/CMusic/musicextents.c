#include "musicbands.h"

/* Finds what belongs to a system in addition to its staves: all ink that touches them, and a part of the free ink between two systems.
 * The widest white separates the words below a system from the chord names above the next one. */

/* MARK: Ink that touches staves */

static int touched_system(const struct layout *layout, const struct blob_run *run) {
  const struct found_music *found = layout->found;
  const int x0 = run->x0 * layout->blobs.cell_width, x1 = run->x1 * layout->blobs.cell_width, y = run->y * layout->blobs.cell_height;
  for (int i = 0; i < found->staff_count; i++) {
    const struct found_staff *staff = &found->staves[i];
    if (x1 <= staff->x0 || x0 > staff->x1) continue;
    const float x = (float)(x0 + x1) / 2;
    if ((float)(y + layout->blobs.cell_height) >= staff_top(staff, x) && (float)y <= staff_bottom(staff, x)) return staff->system;
  }
  return -1;
}

static void mark_touching(struct layout *layout) {
  for (int i = 0; i < layout->blobs.run_count; i++) {
    struct blob_run *run = &layout->blobs.runs[i];
    struct blob *blob = &layout->blobs.all[run->blob];
    if (blob->system == BLOB_BETWEEN) continue;
    const int system = touched_system(layout, run);
    if (system < 0 || system == blob->system) continue;
    blob->system = blob->system == BLOB_FREE ? system : BLOB_BETWEEN;
  }
}

/* The system nearest to height `y` among those that reach across to `x`, give or take `aside`; -1 if there is none. */
static int nearest_system(const struct found_music *found, int x, float y, float aside) {
  int best = -1;
  float distance = 1e9F;
  for (int i = 0; i < found->system_count; i++) {
    const struct found_system *system = &found->systems[i];
    if ((float)x < (float)system->x0 - aside || (float)x > (float)system->x1 + aside) continue;
    const float here = y < system->staff_top ? system->staff_top - y : y > system->staff_bottom ? y - system->staff_bottom : 0;
    if (here < distance) distance = here, best = i;
  }
  return best;
}

static void reach_of_touching(struct layout *layout) {
  struct found_music *found = layout->found;
  for (int i = 0; i < layout->blobs.run_count; i++) {
    const struct blob_run *run = &layout->blobs.runs[i];
    const struct blob *blob = &layout->blobs.all[run->blob];
    int system = blob->system;
    const int x0 = run->x0 * layout->blobs.cell_width, x1 = run->x1 * layout->blobs.cell_width;
    const int y0 = run->y * layout->blobs.cell_height, y1 = y0 + layout->blobs.cell_height;
    if (system == BLOB_BETWEEN) {
      system = nearest_system(found, (x0 + x1) / 2, (float)(y0 + y1) / 2, 4 * layout->space);
      if (system >= 0) found->systems[system].doubts |= WOODSHED_DOUBT_TOUCHING;
    }
    if (system >= 0) widen_skyline(&layout->reaches[system], layout, x0, x1, y0, y1);
  }
}

/* MARK: Free ink */

static bool is_speck(const struct layout *layout, const struct blob *blob) {
  const float height = (float)(blob->y1 - blob->y0), width = (float)(blob->x1 - blob->x0);
  return blob->cells <= 2 && height < 0.45F * layout->space && width < 0.75F * layout->space;
}

/* The system that a free blob belongs to because it stands between or beside the system's staves; -1 if there is none. */
static int enclosing_system(const struct layout *layout, const struct blob *blob) {
  const struct found_music *found = layout->found;
  const float x = (float)(blob->x0 + blob->x1) / 2, y = (float)(blob->y0 + blob->y1) / 2;
  for (int i = 0; i < found->system_count; i++) {
    const struct found_system *system = &found->systems[i];
    if (y < system->staff_top || y > system->staff_bottom) continue;
    if (x > (float)system->x0 - 16 * system->space && x < (float)system->x1 + 4 * system->space) return i;
  }
  return -1;
}

/* MARK: Zones */

static struct zone zone_of(const struct layout *layout, const struct blob *blob) {
  const struct found_music *found = layout->found;
  const float x = (float)(blob->x0 + blob->x1) / 2, y = (float)(blob->y0 + blob->y1) / 2;
  struct zone zone = {-1, -1};
  for (int i = 0; i < found->system_count; i++) {
    const struct found_system *system = &found->systems[i];
    if (x < (float)system->x0 - 20 * system->space || x > (float)system->x1 + 20 * system->space) continue;
    if (system->staff_bottom < y && (zone.above < 0 || system->staff_bottom > found->systems[zone.above].staff_bottom)) zone.above = i;
    if (system->staff_top > y && (zone.below < 0 || system->staff_top < found->systems[zone.below].staff_top)) zone.below = i;
  }
  return zone;
}

/* Counts the bands, from the staff outwards, that follow each other closely enough to belong to the staff. `margin` becomes the least
 * difference between a gap and the limit. */
static int bands_near(const struct layout *layout, const struct skyline *staff, int from, int to, int step, float limit,
                      float nearest_heading, float *margin) {
  struct skyline reach = *staff;
  int count = 0;
  *margin = 99;
  for (int i = from; i != to; i += step, count++) {
    const struct skyline *band = &layout->bands[i].reach;
    const float gap = step > 0 ? white_across(layout, &reach, band) : white_across(layout, band, &reach);
    const float here = fabsf(gap - limit);
    if (here < *margin) *margin = here;
    if (gap > limit) break;
    const float white = step > 0 ? white_within(layout, &reach, band) : white_within(layout, band, &reach);
    const enum heading heading = heading_of(layout, &layout->bands[i], white, step < 0 && i == 0 && count > 0);
    if (heading == SURELY_HEADING || (heading == LIKE_HEADING && white >= nearest_heading)) break;
    add_skyline(&reach, band, layout->bins);
  }
  return count;
}

static void take_bands(struct layout *layout, int from, int to, int system) {
  for (int i = from; i < to; i++) add_skyline(&layout->reaches[system], &layout->bands[i].reach, layout->bins);
}

/* How far a blob is from the ink that touches the staves above or below, at the blob's own place across the page. */
static int distance_above(const struct layout *layout, const struct skyline *upper, const struct blob *blob) {
  int bottom = -1;
  const int last = least((blob->x1 - 1) / layout->bin_width + 1, layout->bins - 1);
  for (int i = most(0, blob->x0 / layout->bin_width - 1); i <= last; i++) bottom = most(bottom, upper->bottom[i]);
  return bottom < 0 ? INT32_MAX : blob->y0 - bottom;
}

static int distance_below(const struct layout *layout, const struct skyline *lower, const struct blob *blob) {
  int top = INT32_MAX;
  const int last = least((blob->x1 - 1) / layout->bin_width + 1, layout->bins - 1);
  for (int i = most(0, blob->x0 / layout->bin_width - 1); i <= last; i++) top = least(top, lower->top[i]);
  return top == INT32_MAX ? top : top - blob->y1;
}

/* Gives the first bands to the system above and the last ones to the system below. A mark that nearly touches the other system's
 * notes goes to that system, even if the rest of its band does not. */
static void divide_bands(struct layout *layout, int above_count, int below_from, struct zone zone) {
  const struct skyline upper = layout->reaches[zone.above], lower = layout->reaches[zone.below];
  const float near = 1.2F * layout->space;
  for (int i = 0; i < layout->members; i++) {
    const struct blob *blob = &layout->blobs.all[layout->order[i]];
    const int band = layout->band_of[i];
    if (band >= above_count && band < below_from) continue;
    bool is_above = band < above_count;
    if (wordiness(&layout->bands[band], &layout->found->systems[zone.above]) <= 0.2F) {
      const float up = (float)distance_above(layout, &upper, blob), down = (float)distance_below(layout, &lower, blob);
      if (is_above && down < near && down * 2 < up - 0.3F * layout->space) is_above = false;
      else if (!is_above && up < near && up * 2 < down - 0.3F * layout->space) is_above = true;
    }
    widen_skyline(&layout->reaches[is_above ? zone.above : zone.below], layout, blob->x0, blob->x1, blob->y0, blob->y1);
  }
}

static float sureness(float margin) { return fminf(1, fmaxf(0, margin)); }

static void divide(struct layout *layout, struct zone zone, int *first_block, int *last_block) {
  struct found_music *found = layout->found;
  const int count = layout->band_count;
  /* Between systems, headings are rarer than marks that resemble headings. There, such ink counts as a heading only if at least
   * `between` staff spaces of white separate it from the music. */
  const float far_above = 2.6F, far_below = 3.2F, between = 1.5F;
  if (zone.above < 0 || zone.below < 0) {
    float margin;
    if (zone.above >= 0) {
      int near = bands_near(layout, &layout->reaches[zone.above], 0, count, 1, far_below, -99, &margin), words = 0;
      /* The last system has no more lines of words than the others; further lines are a separate text. */
      for (int i = 0; i < near && layout->most_words >= 0; i++) {
        words += wordiness(&layout->bands[i], &found->systems[zone.above]) > 0.2F;
        if (words > layout->most_words) near = i, margin = fminf(margin, 0.2F);
      }
      take_bands(layout, 0, near, zone.above);
      *first_block = near;
      *last_block = count;
      found->systems[zone.above].below_confidence = sureness(margin * 2);
    } else {
      const int near = bands_near(layout, &layout->reaches[zone.below], count - 1, -1, -1, far_above, -99, &margin);
      take_bands(layout, count - near, count, zone.below);
      *first_block = 0;
      *last_block = count - near;
      found->systems[zone.below].above_confidence = sureness(margin * 2);
    }
    return;
  }
  struct skyline upper = layout->reaches[zone.above];
  float best = -99, second = -99, words = 0;
  int cut = 0;
  for (int i = 0; i <= count; i++) {
    struct skyline lower = layout->reaches[zone.below];
    for (int j = i; j < count; j++) add_skyline(&lower, &layout->bands[j].reach, layout->bins);
    const float white = fminf(white_within(layout, &upper, &lower), white_across(layout, &upper, &lower) + 1);
    const float worth = fminf(white, 6) + words;
    if (worth > best) second = best, best = worth, cut = i;
    else if (worth > second) second = worth;
    if (i == count) break;
    add_skyline(&upper, &layout->bands[i].reach, layout->bins);
    const float wordy = wordiness(&layout->bands[i], &found->systems[zone.above]);
    words += wordy > 0 ? 1.2F * wordy : 0.5F * wordy;
  }
  float margin;
  const int above = bands_near(layout, &layout->reaches[zone.above], 0, cut, 1, 99, between, &margin);
  const int below = bands_near(layout, &layout->reaches[zone.below], count - 1, cut - 1, -1, 99, between, &margin);
  divide_bands(layout, above, count - below, zone);
  layout->most_words = most(layout->most_words, above);
  const float sure = sureness((best - second) * 1.5F);
  found->systems[zone.above].below_confidence = fminf(found->systems[zone.above].below_confidence, sure);
  found->systems[zone.below].above_confidence = fminf(found->systems[zone.below].above_confidence, sure);
  *first_block = above;
  *last_block = count - below;
}

static void add_block(struct layout *layout, const struct zone zone, const struct band *band) {
  struct found_music *found = layout->found;
  const struct skyline *reach = &band->reach;
  const int where = zone.above < 0 && zone.below < 0 ? WOODSHED_BLOCK_ALONE
                    : zone.above < 0 ? WOODSHED_BLOCK_ABOVE
                    : zone.below < 0 ? WOODSHED_BLOCK_BELOW : WOODSHED_BLOCK_BETWEEN;
  for (int i = most(0, found->block_count - 2); i < found->block_count; i++) {
    struct found_block *block = &found->blocks[i];
    if (block->where != where || (float)(reach->y0 - block->y1) > 1.6F * layout->space || reach->y0 < block->y0) continue;
    if (least(block->x1, reach->x1) < most(block->x0, reach->x0)) continue;
    *block = (struct found_block){least(block->x0, reach->x0), block->y0, most(block->x1, reach->x1), most(block->y1, reach->y1), where};
    return;
  }
  if (found->block_count == WOODSHED_MOST_BLOCKS) {
    found->doubts |= WOODSHED_DOUBT_FULL;
    return;
  }
  found->blocks[found->block_count++] = (struct found_block){reach->x0, reach->y0, reach->x1, reach->y1, where};
}

/* Divides the free blobs, zone by zone; a zone lies between two systems, or between a system and the page's edge. Returns false if there
 * is no memory. */
static bool divide_zones(struct layout *layout) {
  const int count = layout->blobs.count, systems = layout->found->system_count;
  int16_t *zones = malloc(((size_t)count + 1) * 2 * sizeof *zones);
  if (!zones) return false;
  const size_t sides = (size_t)systems + 1;
  bool is_empty[(WOODSHED_MOST_SYSTEMS + 1) * (WOODSHED_MOST_SYSTEMS + 1)];
  memset(is_empty, true, sides * sides);
  for (int i = 0; i < count; i++) {
    const struct blob *blob = &layout->blobs.all[i];
    if (blob->system != BLOB_FREE) continue;
    const struct zone zone = zone_of(layout, blob);
    zones[2 * i] = (int16_t)zone.above;
    zones[2 * i + 1] = (int16_t)zone.below;
    is_empty[(size_t)(zone.above + 1) * sides + (size_t)(zone.below + 1)] = false;
  }
  for (int above = -1; above < systems; above++)
    for (int below = -1; below < systems; below++) {
      if (is_empty[(size_t)(above + 1) * sides + (size_t)(below + 1)]) continue;
      int members = 0;
      for (int i = 0; i < count; i++)
        if (layout->blobs.all[i].system == BLOB_FREE && zones[2 * i] == above && zones[2 * i + 1] == below) layout->order[members++] = i;
      make_bands(layout, members);
      const struct zone zone = {above, below};
      int first = 0, last = layout->band_count;
      if (above >= 0 || below >= 0) divide(layout, zone, &first, &last);
      for (int i = first; i < last; i++) add_block(layout, zone, &layout->bands[i]);
    }
  free(zones);
  return true;
}

/* MARK: Cuts */

static bool is_beside(const struct found_system *a, const struct found_system *b) {
  return least(a->x1, b->x1) - most(a->x0, b->x0) > least(a->x1 - a->x0, b->x1 - b->x0) / 3;
}

/* The row with the least ink between two heights, for a cut where two systems reach into each other. */
static float clearest_row(const struct found_music *found, const struct found_system *system, float from, float to) {
  int fewest = INT32_MAX, best = nearest((from + to) / 2);
  for (int y = nearest(from); y <= nearest(to); y++) {
    int inks = 0;
    for (int x = system->x0; x < system->x1; x += 64) inks += __builtin_popcountll(pixels_from(&found->bits, x, y));
    if (inks < fewest) fewest = inks, best = y;
  }
  return (float)best;
}

/* Puts each cut in the middle of the white up to the next system or block, or to a staff space beyond the page's ink. */
static void set_cuts(struct found_music *found, int index) {
  struct found_system *system = &found->systems[index];
  float above = fmaxf(0, (float)found->ink_y0 - system->space);
  float below = fminf((float)found->bits.height, (float)found->ink_y1 + system->space);
  above = fminf(above, system->top);
  below = fmaxf(below, system->bottom);
  for (int i = 0; i < found->system_count; i++) {
    const struct found_system *other = &found->systems[i];
    if (i == index || !is_beside(system, other)) continue;
    if (other->staff_bottom <= system->staff_top) above = fmaxf(above, other->bottom);
    if (other->staff_top >= system->staff_bottom) below = fminf(below, other->top);
  }
  for (int i = 0; i < found->block_count; i++) {
    const struct found_block *block = &found->blocks[i];
    if ((float)block->y1 <= system->top) above = fmaxf(above, (float)block->y1);
    if ((float)block->y0 >= system->bottom) below = fminf(below, (float)block->y0);
  }
  if (above > system->top - 1 || below < system->bottom + 1) system->doubts |= WOODSHED_DOUBT_TOUCHING;
  system->cut_above = above > system->top ? clearest_row(found, system, system->top, above) : (above + system->top) / 2;
  system->cut_below = below < system->bottom ? clearest_row(found, system, below, system->bottom) : (below + system->bottom) / 2;
}

static void finish(struct layout *layout) {
  struct found_music *found = layout->found;
  for (int i = 0; i < found->system_count; i++) {
    struct found_system *system = &found->systems[i];
    const struct skyline *reach = &layout->reaches[i];
    system->top = fminf(system->staff_top, (float)reach->y0);
    system->bottom = fmaxf(system->staff_bottom, (float)reach->y1);
    system->ink_x0 = least(system->x0, reach->x0);
    system->ink_x1 = most(system->x1, reach->x1);
  }
  for (int i = 0; i < found->system_count; i++) {
    struct found_system *system = &found->systems[i];
    set_cuts(found, i);
    if (system->above_confidence < 0.5F) system->doubts |= WOODSHED_DOUBT_ABOVE;
    if (system->below_confidence < 0.5F) system->doubts |= WOODSHED_DOUBT_BELOW;
  }
}

/* Marks the rows of the page, as it is shown, that have ink of this run. */
static void note_rows(struct found_music *found, const struct blobs *blobs, const struct blob_run *run) {
  const float x0 = (float)(run->x0 * blobs->cell_width), x1 = (float)(run->x1 * blobs->cell_width);
  const float y0 = (float)(run->y * blobs->cell_height), y1 = y0 + (float)blobs->cell_height;
  const float left = found->is_turned ? shown_y(found, y0) : back_y(&found->turn, x0, y0);
  const float right = found->is_turned ? left : back_y(&found->turn, x1, y0);
  const int first = within(nearest(fminf(left, right)), 0, (int)found->page_height);
  const int end = within(nearest(fmaxf(left, right) + y1 - y0), 0, (int)found->page_height);
  for (int y = first; y < end; y++) found->is_inked[y] = true;
}

static float typical_space(const struct found_music *found) {
  if (found->system_count == 0) return fmaxf(3, (float)most((int)found->bits.width, (int)found->bits.height) / 180);
  float spaces[WOODSHED_MOST_SYSTEMS];
  for (int i = 0; i < found->system_count; i++) {
    const float space = found->systems[i].space;
    int place = i;
    for (; place > 0 && spaces[place - 1] > space; place--) spaces[place] = spaces[place - 1];
    spaces[place] = space;
  }
  return spaces[found->system_count / 2];
}

bool find_extents(struct found_music *found) {
  struct layout layout = {.found = found, .space = typical_space(found), .most_words = -1};
  layout.bin_width = most(most(1, nearest(1.5F * layout.space)), (int)found->bits.width / MOST_BINS + 1);
  layout.bins = least(MOST_BINS, (int)found->bits.width / layout.bin_width + 1);
  if (!find_blobs(&found->bits, layout.space, &layout.blobs)) return false;
  layout.reaches = malloc(((size_t)found->system_count + 1) * sizeof *layout.reaches);
  layout.bands = malloc(MOST_BANDS * sizeof *layout.bands);
  layout.order = malloc(((size_t)layout.blobs.count + 1) * 2 * sizeof *layout.order);
  layout.band_of = layout.order ? layout.order + layout.blobs.count + 1 : NULL;
  bool is_done = layout.reaches && layout.bands && layout.order;
  if (is_done) {
    for (int i = 0; i < found->system_count; i++) {
      clear_skyline(&layout.reaches[i], layout.bins);
      found->systems[i].above_confidence = found->systems[i].below_confidence = 1;
    }
    mark_touching(&layout);
    reach_of_touching(&layout);
    found->ink_x0 = found->ink_y0 = INT32_MAX;
    for (int i = 0; i < layout.blobs.count; i++) {
      struct blob *blob = &layout.blobs.all[i];
      if (blob->system == BLOB_FREE && is_speck(&layout, blob)) blob->system = BLOB_SPECK;
      if (blob->system == BLOB_SPECK) continue;
      found->ink_x0 = least(found->ink_x0, blob->x0);
      found->ink_y0 = least(found->ink_y0, blob->y0);
      found->ink_x1 = most(found->ink_x1, blob->x1);
      found->ink_y1 = most(found->ink_y1, blob->y1);
      if (blob->system != BLOB_FREE) continue;
      const int system = enclosing_system(&layout, blob);
      if (system < 0) continue;
      blob->system = system;
      widen_skyline(&layout.reaches[system], &layout, blob->x0, blob->x1, blob->y0, blob->y1);
    }
    for (int i = 0; i < layout.blobs.run_count; i++) {
      const struct blob_run *run = &layout.blobs.runs[i];
      if (layout.blobs.all[run->blob].system != BLOB_SPECK) note_rows(found, &layout.blobs, run);
    }
    if (found->ink_x1 == 0) found->ink_x0 = found->ink_y0 = 0;
    is_done = divide_zones(&layout);
    finish(&layout);
  }
  free(layout.reaches);
  free(layout.bands);
  free(layout.order);
  free_blobs(&layout.blobs);
  return is_done;
}
