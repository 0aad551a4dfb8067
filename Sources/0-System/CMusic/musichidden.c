#include "musichidden.h"
#include "musicproof.h"

/* Finds staves whose lines many notes hide. They are assumed to be like the page's first staff: five rows at its distances that are
 * ink in most strips. */
bool find_hidden(struct found_music *found, struct search *search) {
  if (found->staff_count == 0) return true;
  const struct strips *strips = &search->strips;
  const struct found_staff known = found->staves[0];
  uint16_t *rows = calloc((size_t)strips->rows, sizeof *rows);
  if (!rows) return false;
  int first = most(0, known.x0 / strips->width), last = least(strips->count - 1, known.x1 / strips->width);
  for (int strip = first; strip <= last; strip++)
    for (int y = 1; y + 1 < strips->rows; y++) {
      const uint8_t *ink = strips->inks + (size_t)strip * (size_t)strips->rows + y;
      rows[y] = (uint16_t)(rows[y] + (most(ink[0], most(ink[-1], ink[1])) * 2 >= strips->width));
    }
  const float reach = 4 * known.space, x = (float)(known.x0 + known.x1) / 2;
  for (int y = 1; (float)y + reach + 1 < (float)strips->rows; y++) {
    int worst = rows[y], sum = rows[y];
    for (int k = 1; k < 5; k++) {
      const int here = rows[nearest((float)y + (float)k * known.space)];
      worst = least(worst, here);
      sum += here;
    }
    if (worst * 2 < last - first + 1 || sum * 10 < (last - first + 1) * 34) continue;
    struct found_staff staff = known;
    const float slope = (known.top_slope + known.bottom_slope) / 2;
    staff.top_slope = staff.bottom_slope = slope;
    staff.top = (float)y - slope * x;
    staff.lines = 5;
    staff.bottom = staff.top + reach;
    staff.is_weak = true;
    if (!is_free(found, &staff)) continue;
    choose_lines(search->bits, &staff);
    find_ends(search->bits, &staff);
    if (staff.lines < 5 || !is_free(found, &staff) || is_doubled(search->bits, &staff) || !check_staff(search->bits, &staff)) continue;
    if (found->staff_count == WOODSHED_MOST_STAVES) {
      found->doubts |= WOODSHED_DOUBT_FULL;
      break;
    }
    found->staves[found->staff_count++] = staff;
  }
  free(rows);
  return true;
}

/* MARK: Single lines */

/* How far ink goes on from a line at a column, up or down. */
static int stroke_from(const struct page_bits *bits, int x, int y, int direction, int limit) {
  int length = 0;
  while (length <= limit && has_ink(bits, x, y + direction * (length + 1))) length++;
  return length;
}

/* Half the height of the bar lines that cross a line and reach as far above it as below; 0 if no bar line does. `strokes` becomes the
 * number of these bar lines. */
static float crossing_strokes(const struct page_bits *bits, const struct found_staff *staff, int *strokes) {
  enum { MOST_HALVES = 64, LEAST_HALF = 4 };
  int counts[MOST_HALVES + 1] = {0}, last = -MOST_HALVES;
  for (int x = staff->x0 + LEAST_HALF; x <= staff->x1 + 2; x++) {
    const int y = nearest(staff_top(staff, (float)x));
    if (!has_ink(bits, x, y)) continue;
    const int up = stroke_from(bits, x, y, -1, MOST_HALVES), down = stroke_from(bits, x, y, 1, MOST_HALVES);
    const int half = (up + down) / 2;
    if (abs(up - down) > most(2, half / 4) || half < LEAST_HALF || half >= MOST_HALVES || x - last < half) continue;
    /* Skip ink that has more ink beside it: the edge of a head or a rest. */
    const int aside = most(4, half / 2);
    const int upper = y - half / 2, lower = y + half / 2;
    if (has_ink(bits, x - aside, upper) || has_ink(bits, x + aside, upper)) continue;
    if (has_ink(bits, x - aside, lower) || has_ink(bits, x + aside, lower)) continue;
    counts[half]++;
    last = x;
  }
  int best = 0;
  *strokes = 0;
  for (int half = LEAST_HALF; half < MOST_HALVES; half++) {
    const int here = counts[half - 1] + counts[half] + counts[half + 1];
    if (here > *strokes) *strokes = here, best = half;
  }
  return (float)best;
}

/* The staff of a drum or a bell: one long line that bar lines cross. */
void find_single_lines(struct found_music *found, struct search *search) {
  const int width = search->strips.width;
  for (int place = 0; place < search->count; place++) {
    struct filament *line = &search->filaments[search->order[place]];
    const int strips = line->last - line->first + 1;
    if (line->is_used || strips * 3 < search->strips.count || line->count * 10 < strips * 7) continue;
    struct found_staff staff = {.x0 = line->first * width + width / 2, .x1 = line->last * width + width / 2, .lines = 1};
    staff.top = staff.bottom = line->at_zero;
    staff.top_slope = staff.bottom_slope = line->slope;
    staff.thickness = line->thickness / (float)line->count;
    staff.space = found->staff_count > 0 ? found->staves[0].space : fmaxf(4, 6 * staff.thickness);
    find_ends(search->bits, &staff);
    if (!is_free(found, &staff) || coverage(search->bits, staff.top, staff.top_slope, staff.x0, staff.x1, 1) < 0.85F) continue;
    int strokes;
    staff.beyond = crossing_strokes(search->bits, &staff, &strokes);
    /* On a page with other staves, more evidence is needed: the line may belong to a staff that was not recognised. */
    if (strokes < 2 || (found->staff_count > 0 && (strokes < 3 || staff.beyond < 0.7F * staff.space))) continue;
    staff.space = found->staff_count > 0 ? staff.space : staff.beyond * 0.8F;
    staff.confidence = strokes < 3 ? 0.5F : 0.8F;
    if (found->staff_count == WOODSHED_MOST_STAVES) {
      found->doubts |= WOODSHED_DOUBT_FULL;
      return;
    }
    line->is_used = true;
    found->staves[found->staff_count++] = staff;
  }
}
