#include "musicparts.h"

/* Bar lines: columns that are ink from the uppermost line of a staff to the lowest one and no further, with nothing attached; in a
 * system of several staves they stand one above the other. */

enum { MOST_CANDIDATES = 400, PLANES = 4 };

struct candidate {
  float x, width, height_misses;
  int staff;
  bool is_strong;
  bool is_used;
};

struct candidates {
  struct candidate all[MOST_CANDIDATES];
  int count;
  bool are_too_many;
};

/* Finds those of 64 columns that have ink in all rows but at most `misses`. Each column counts its misses in bits of several words. */
static uint64_t full_columns(const struct page_bits *bits, int x, int from, int to, bool is_wide, unsigned misses) {
  uint64_t plane[PLANES] = {0}, is_over = 0;
  for (int y = from; y <= to; y++) {
    uint64_t ink = pixels_from(bits, x, y);
    if (is_wide) ink |= pixels_from(bits, x - 1, y) | pixels_from(bits, x + 1, y);
    uint64_t carry = ~ink;
    for (int i = 0; i < PLANES; i++) {
      const uint64_t sum = plane[i] ^ carry;
      carry &= plane[i];
      plane[i] = sum;
    }
    is_over |= carry;
    if (~is_over == 0) return 0;
  }
  /* Select the columns with at most `misses`: compare the bits of all counts at once, from the highest. */
  uint64_t is_less = 0, is_equal = ~UINT64_C(0);
  for (int i = PLANES - 1; i >= 0; i--) {
    const uint64_t bit = misses >> i & 1 ? ~UINT64_C(0) : 0;
    is_less |= is_equal & ~plane[i] & bit;
    is_equal &= ~(plane[i] ^ bit);
  }
  return (is_less | is_equal) & ~is_over;
}

/* The share of ink in a box. */
static float inked(const struct page_bits *bits, int x0, int x1, int y0, int y1) {
  int inks = 0, all = 0;
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++, all++) inks += has_ink(bits, x, y);
  return all > 0 ? (float)inks / (float)all : 0;
}

/* Whether a vertical line goes on beyond the staff: above it if `direction` is negative, else below it. */
static bool goes_on(const struct page_bits *bits, const struct found_staff *staff, float x, int half, int direction) {
  const float y = direction < 0 ? staff_top(staff, x) - staff->beyond : staff_bottom(staff, x) + staff->beyond;
  const int reach = nearest(staff->space), skip = most(2, nearest(staff->thickness / 2) + 2);
  int hits = 0;
  for (int j = skip; j < skip + reach; j++) {
    bool is_inked = false;
    for (int i = -half; i <= half && !is_inked; i++) is_inked = has_ink(bits, nearest(x) + i, nearest(y) + direction * j);
    hits += is_inked;
  }
  return hits * 10 >= reach * 6;
}

/* Whether there is little ink beside a bar line within the staff, apart from the staff's own lines: a stem would have a head or a
 * beam there. The dots of a repeat sign may stand only in the two middle spaces. */
static bool is_alone(const struct page_bits *bits, const struct found_staff *staff, int x0, int x1) {
  const int near = most(2, nearest(staff->space * 0.2F)), far = most(near + 1, nearest(staff->space * 0.75F));
  const float gap = staff->thickness / 2 + 0.15F * staff->space;
  float worst_outer = 0, worst_middle = 0;
  for (int side = 0; side < 2; side++) {
    const int a = side == 0 ? x0 - far : x1 + near, b = side == 0 ? x0 - near : x1 + far;
    for (int k = 0; k + 1 < staff->lines; k++) {
      const float middle = (float)(a + b) / 2;
      const int from = nearest(staff_line(staff, k, middle) + gap), to = nearest(staff_line(staff, k + 1, middle) - gap);
      const float share = inked(bits, a, b, from, to);
      const bool is_middle = staff->lines == 5 && (k == 1 || k == 2);
      if (is_middle) worst_middle = fmaxf(worst_middle, share);
      else worst_outer = fmaxf(worst_outer, share);
    }
  }
  return worst_outer < 0.3F && worst_middle < 0.75F;
}

static void add_candidate(const struct found_music *found, struct candidates *candidates, int index, int x0, int x1) {
  const struct found_staff *staff = &found->staves[index];
  const struct found_system *system = &found->systems[staff->system];
  const float x = (float)(x0 + x1) / 2, space = staff->space;
  if (x < (float)staff->x0 + 1.2F * space || (float)(x1 - x0) > 2.6F * space) return;
  const int half = most(1, (x1 - x0) / 2);
  const bool is_first = index == system->first, is_last = index == system->first + system->count - 1;
  const bool above = goes_on(&found->bits, staff, x, half, -1), below = goes_on(&found->bits, staff, x, half, 1);
  struct candidate candidate = {.x = x, .width = (float)(x1 - x0 + 1), .staff = index};
  candidate.is_strong = !(above && is_first) && !(below && is_last) && is_alone(&found->bits, staff, x0, x1);
  /* In a system of one staff, a line that goes on beyond the staff is not a bar line. In other systems, such a line only counts less. */
  if ((above && is_first && system->count == 1) || (below && is_last && system->count == 1)) return;
  if (candidates->count == MOST_CANDIDATES) candidates->are_too_many = true;
  else candidates->all[candidates->count++] = candidate;
}

static void search_staff(const struct found_music *found, struct candidates *candidates, int index) {
  const struct found_staff *staff = &found->staves[index];
  const struct page_bits *bits = &found->bits;
  const bool is_wide = staff->space >= 6;
  const int apart = most(2, nearest(0.85F * staff->space));
  int start = -1, last = -1;
  for (int x = staff->x0; x <= staff->x1 + 2; x += 64) {
    const float middle = (float)x + 32;
    const int from = nearest(staff_top(staff, middle) - staff->beyond) + 1, to = nearest(staff_bottom(staff, middle) + staff->beyond) - 1;
    const unsigned misses = (unsigned)within((to - from) / 14, 0, 14);
    uint64_t full = full_columns(bits, x, from, to, is_wide, misses);
    if (x + 64 > staff->x1 + 3) full &= (UINT64_C(1) << within(staff->x1 + 3 - x, 0, 63)) - 1;
    while (full) {
      const int here = x + __builtin_ctzll(full);
      full &= full - 1;
      if (start >= 0 && here - last > apart) {
        add_candidate(found, candidates, index, start, last);
        start = -1;
      }
      if (start < 0) start = here;
      last = here;
    }
  }
  if (start >= 0) add_candidate(found, candidates, index, start, last);
}

/* Makes one bar line of the candidates that stand at the same place in a system's staves. Returns whether enough of them agree. */
static bool vote(const struct found_music *found, struct candidates *candidates, int first, const struct found_system *system,
                 struct found_bar *bar) {
  const struct candidate *seed = &candidates->all[first];
  *bar = (struct found_bar){.system = found->staves[seed->staff].system};
  int votes = 0, strong = 0;
  float widest = 0, top_x = 0, below_x = 0;
  int top = INT32_MAX, bottom = -1;
  for (int i = 0; i < candidates->count; i++) {
    struct candidate *other = &candidates->all[i];
    if (other->is_used || fabsf(other->x - seed->x) > 0.7F * system->space + fmaxf(other->width, seed->width) / 2) continue;
    const int place = other->staff - system->first;
    if (bar->staves >> place & 1) continue;
    other->is_used = true;
    bar->staves |= UINT64_C(1) << place;
    votes++;
    strong += other->is_strong;
    widest = fmaxf(widest, other->width);
    if (place < top) top = place, top_x = other->x;
    if (place > bottom) bottom = place, below_x = other->x;
  }
  bar->x = top_x;
  bar->x_below = below_x;
  bar->is_heavy = widest > 0.45F * system->space;
  const int needed = system->count < 3 ? system->count : (system->count * 3 + 4) / 5;
  bar->confidence = (float)votes / (float)system->count * (0.5F + 0.5F * (float)strong / (float)votes);
  return votes >= needed && strong * 3 >= votes;
}

/* Adds a system's bars, from the left. Returns false if there is no room for all of them. */
static bool add_bars(struct found_music *found, struct candidates *candidates, const struct found_system *system) {
  const int first_bar = found->bar_count;
  for (int i = system->first; i < system->first + system->count; i++) search_staff(found, candidates, i);
  if (candidates->are_too_many) return false;
  for (int i = 0; i < candidates->count; i++) {
    struct found_bar bar;
    if (candidates->all[i].is_used || !vote(found, candidates, i, system, &bar)) continue;
    if (found->bar_count == WOODSHED_MOST_BARS) return false;
    int place = found->bar_count++;
    for (; place > first_bar && found->bars[place - 1].x > bar.x; place--) found->bars[place] = found->bars[place - 1];
    found->bars[place] = bar;
  }
  return true;
}

void find_bars(struct found_music *found) {
  struct candidates candidates;
  for (int s = 0; s < found->system_count; s++) {
    const int first_bar = found->bar_count;
    candidates.count = 0;
    candidates.are_too_many = false;
    if (add_bars(found, &candidates, &found->systems[s])) continue;
    /* Keep no bars: readers of the result would take a part of the bars for all bars. */
    found->bar_count = first_bar;
    found->systems[s].doubts |= WOODSHED_DOUBT_FULL;
  }
}
