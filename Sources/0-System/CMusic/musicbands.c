#include "musicbands.h"

/* Divides free ink into bands, and describes each: how far it reaches, and whether it is a line of words, a heading, or neither. */

void clear_skyline(struct skyline *line, int bins) {
  for (int i = 0; i < bins; i++) line->top[i] = INT32_MAX, line->bottom[i] = -1;
  line->y0 = line->x0 = INT32_MAX;
  line->y1 = line->x1 = -1;
}

void widen_skyline(struct skyline *line, const struct layout *layout, int x0, int x1, int y0, int y1) {
  const int last = least((x1 - 1) / layout->bin_width, layout->bins - 1);
  for (int i = x0 / layout->bin_width; i <= last; i++) {
    line->top[i] = least(line->top[i], y0);
    line->bottom[i] = most(line->bottom[i], y1);
  }
  line->y0 = least(line->y0, y0);
  line->y1 = most(line->y1, y1);
  line->x0 = least(line->x0, x0);
  line->x1 = most(line->x1, x1);
}

void add_skyline(struct skyline *line, const struct skyline *other, int bins) {
  for (int i = 0; i < bins; i++) {
    line->top[i] = least(line->top[i], other->top[i]);
    line->bottom[i] = most(line->bottom[i], other->bottom[i]);
  }
  line->y0 = least(line->y0, other->y0);
  line->y1 = most(line->y1, other->y1);
  line->x0 = least(line->x0, other->x0);
  line->x1 = most(line->x1, other->x1);
}

static void sort_blobs(struct layout *layout, int count) {
  /* A shellsort, by the blobs' middle heights. */
  static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
  const struct blob *all = layout->blobs.all;
  for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
    for (int i = gaps[g]; i < count; i++) {
      const int moved = layout->order[i], key = all[moved].y0 + all[moved].y1;
      int place = i;
      for (; place >= gaps[g]; place -= gaps[g]) {
        const struct blob *other = &all[layout->order[place - gaps[g]]];
        if (other->y0 + other->y1 <= key) break;
        layout->order[place] = layout->order[place - gaps[g]];
      }
      layout->order[place] = moved;
    }
}

/* Whether a blob and a band overlap by more than half the height of the flatter one. */
static bool is_in_band(const struct band *band, const struct blob *blob) {
  const int shared = least(band->reach.y1, blob->y1) - most(band->reach.y0, blob->y0);
  const int lower = least(band->reach.y1 - band->reach.y0, blob->y1 - blob->y0);
  return shared * 2 > lower;
}

void make_bands(struct layout *layout, int count) {
  sort_blobs(layout, count);
  layout->band_count = 0;
  layout->members = count;
  for (int i = 0; i < count; i++) {
    const struct blob *blob = &layout->blobs.all[layout->order[i]];
    int place = -1;
    for (int j = most(0, layout->band_count - 3); j < layout->band_count && place < 0; j++)
      if (is_in_band(&layout->bands[j], blob)) place = j;
    if (place < 0) {
      if (layout->band_count < MOST_BANDS) {
        place = layout->band_count++;
        clear_skyline(&layout->bands[place].reach, layout->bins);
        layout->bands[place].count = layout->bands[place].ink_width = 0;
      } else {
        place = layout->band_count - 1;
      }
    }
    widen_skyline(&layout->bands[place].reach, layout, blob->x0, blob->x1, blob->y0, blob->y1);
    layout->band_of[i] = place;
    layout->bands[place].count++;
    layout->bands[place].ink_width += blob->x1 - blob->x0;
  }
}

/* The least white between two skylines, in staff spaces, where one is above the other; 99 if there is no such place. */
float white_within(const struct layout *layout, const struct skyline *upper, const struct skyline *lower) {
  int gap = INT32_MAX;
  for (int i = 0; i < layout->bins; i++) {
    if (upper->bottom[i] < 0) continue;
    for (int j = most(0, i - 1); j <= i + 1 && j < layout->bins; j++)
      if (lower->top[j] != INT32_MAX) gap = least(gap, lower->top[j] - upper->bottom[i]);
  }
  return gap == INT32_MAX ? 99 : (float)gap / layout->space;
}

float white_across(const struct layout *layout, const struct skyline *upper, const struct skyline *lower) {
  return upper->y1 < 0 || lower->y1 < 0 ? 99 : (float)(lower->y0 - upper->y1) / layout->space;
}

/* How much a band is like a line of words, from -0.4 to 1: words fill a line, whereas chord names and marks leave gaps.
 * 0 for fewer than 4 blobs. */
float wordiness(const struct band *band, const struct found_system *system) {
  const float share = (float)band->ink_width / (float)most(1, system->x1 - system->x0);
  return band->count < 4 ? 0 : fmaxf(-0.4F, fminf(1, (share - 0.22F) / 0.16F));
}

/* Titles and credits stand at the page's margins or in its middle, and nowhere else; `gap` is the white between them and the system. */
enum heading heading_of(const struct layout *layout, const struct band *band, float gap, bool is_first) {
  const struct found_music *found = layout->found;
  int left = INT32_MAX, right = 0, groups = 0, aligned = 0, start = -9, last = -9;
  for (int i = 0; i < found->system_count; i++) left = least(left, found->systems[i].x0), right = most(right, found->systems[i].x1);
  const float near = 2 * layout->space, middle = (float)(left + right) / 2, page_middle = (float)found->bits.width / 2;
  const bool at_left = (float)band->reach.x0 < (float)left + near, at_right = (float)band->reach.x1 > (float)right - near;
  bool in_middle = false;
  float narrowest = 99;
  for (int i = 0; i <= layout->bins; i++) {
    const bool is_inked = i < layout->bins && band->reach.bottom[i] >= 0;
    if (is_inked && i - last > 3) start = i, groups++;
    if (is_inked) last = i;
    if (start < 0 || (is_inked && i < layout->bins) || (i < layout->bins && i - last < 3)) continue;
    /* A group has ended. */
    const float x0 = fmaxf((float)band->reach.x0, (float)(start * layout->bin_width));
    const float x1 = fminf((float)band->reach.x1, (float)((last + 1) * layout->bin_width));
    const float here = (x0 + x1) / 2;
    narrowest = fminf(narrowest, (x1 - x0) / layout->space);
    const bool is_middle = fabsf(here - middle) < 1.5F * near || fabsf(here - page_middle) < near;
    in_middle = in_middle || is_middle;
    aligned += is_middle || (groups == 1 && at_left) || (at_right && x1 > (float)right - near);
    start = -9;
  }
  if (groups > 3) return NO_HEADING;
  const float width = (float)(band->reach.x1 - band->reach.x0);
  /* A page number in the corner, rather than the number of a bar right above the staff. */
  if (groups == 1 && is_first && gap > 0.6F && (at_left || at_right) && width < 2 * near) return LIKE_HEADING;
  if (groups > 1) {
    if (aligned < groups || !(at_right || in_middle) || gap < 0.2F) return NO_HEADING;
    return at_left && at_right && groups == 2 && narrowest > 3 ? SURELY_HEADING : LIKE_HEADING;
  }
  const bool is_title = in_middle && gap > 0.4F && width < 0.75F * (float)(right - left);
  return is_title || (at_right && (float)band->reach.x0 > middle && gap > 0.4F) ? LIKE_HEADING : NO_HEADING;
}
