#include "musicparts.h"

/* Finds the staves that are read together: a bar line, a bracket or a brace at their left joins them. */

/* Follows a nearly vertical line down within 64 columns. Returns the share of rows that have it. The line may shift by a pixel now
 * and then, and have small gaps. */
static float trace_down(const struct page_bits *bits, int x, int columns, int from, int to, float space) {
  const uint64_t window = columns >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << columns) - 1;
  uint64_t reach = window;
  int hits = 0, misses_in_a_row = 0;
  const int patience = most(2, least((to - from) / 12, nearest(0.7F * space)));
  for (int y = from; y < to; y++) {
    if ((y - from) % 3 == 2) reach |= reach << 1 | reach >> 1;
    reach &= window;
    const uint64_t next = reach & pixels_from(bits, x, y);
    if (next) {
      reach = next;
      hits++;
      misses_in_a_row = 0;
    } else if (++misses_in_a_row > patience) {
      break;
    }
  }
  return to > from ? (float)hits / (float)(to - from) : 0;
}

/* How much of the height between two staves a line at their left covers. A name beside a staff may make the staff seem to begin farther to
 * the left; then, only a line without gaps counts, at the beginning of the other staff, and as less certain. */
static float joined_at_left(const struct page_bits *bits, const struct found_staff *above, const struct found_staff *below) {
  const float space = fmaxf(above->space, below->space);
  const int x0 = most(above->x0, below->x0);
  const bool is_aligned = (float)abs(above->x0 - below->x0) <= 2.5F * space;
  const int from = nearest(staff_bottom(above, (float)x0)) + 1, to = nearest(staff_top(below, (float)x0));
  const int end = x0 + nearest(1.4F * space);
  float best = 0;
  for (int left = (is_aligned ? least(above->x0, below->x0) : x0) - nearest(1.6F * space); left < end; left += 48)
    best = fmaxf(best, trace_down(bits, left, within(end - left, 8, 64), from, to, space));
  return is_aligned ? best : best > 0.95F ? 0.82F : 0;
}

static bool overlap(const struct found_staff *a, const struct found_staff *b) {
  const int shorter = least(a->x1 - a->x0, b->x1 - b->x0);
  return (least(a->x1, b->x1) - most(a->x0, b->x0)) * 2 > shorter;
}

static bool is_before(const struct found_system *a, const struct found_system *b) {
  const bool is_aside = a->x1 <= b->x0 || b->x1 <= a->x0;
  if (is_aside && a->staff_top < b->staff_bottom && b->staff_top < a->staff_bottom) return a->x0 < b->x0;
  return a->staff_top < b->staff_top;
}

static void describe(struct found_music *found, struct found_system *system) {
  system->x0 = INT32_MAX;
  system->staff_top = 1e9F;
  system->staff_bottom = -1e9F;
  float space = 0;
  for (int i = system->first; i < system->first + system->count; i++) {
    const struct found_staff *staff = &found->staves[i];
    const float x0 = (float)staff->x0, x1 = (float)staff->x1;
    system->x0 = least(system->x0, staff->x0);
    system->x1 = most(system->x1, staff->x1);
    system->staff_top = fminf(system->staff_top, fminf(staff_top(staff, x0), staff_top(staff, x1)));
    system->staff_bottom = fmaxf(system->staff_bottom, fmaxf(staff_bottom(staff, x0), staff_bottom(staff, x1)));
    space += staff->lines == 6 ? staff->space / 1.5F : staff->space;
    if (staff->confidence < (staff->is_weak ? 0.7F : 0.55F) || staff->lines == 4) system->doubts |= WOODSHED_DOUBT_LINES;
  }
  system->space = space / (float)system->count;
}

void find_systems(struct found_music *found) {
  int system_of[WOODSHED_MOST_STAVES], systems = 0;
  float sureness[WOODSHED_MOST_STAVES];
  for (int i = 0; i < found->staff_count; i++) {
    /* The nearest staff above this one that overlaps with it from side to side. */
    int above = -1;
    for (int j = i - 1; j >= 0 && above < 0; j--)
      if (overlap(&found->staves[i], &found->staves[j])) above = j;
    const float share = above < 0 ? 0 : joined_at_left(&found->bits, &found->staves[above], &found->staves[i]);
    const bool is_joined = share > 0.8F;
    const float sure = is_joined ? fminf(1, 0.5F + (share - 0.8F) * 4) : fminf(1, 0.5F + (0.8F - share) * 2);
    system_of[i] = is_joined ? system_of[above] : systems++;
    sureness[system_of[i]] = is_joined ? fminf(sure, sureness[system_of[i]]) : sure;
    if (!is_joined && above >= 0) sureness[system_of[above]] = fminf(sure, sureness[system_of[above]]);
  }
  /* Sort the staves by their systems, so that each system has its staves one after the other. */
  struct found_staff sorted[WOODSHED_MOST_STAVES];
  int count = 0;
  found->system_count = systems;
  for (int system = 0; system < systems; system++) {
    struct found_system *here = &found->systems[system];
    *here = (struct found_system){.first = count, .join_confidence = sureness[system]};
    for (int i = 0; i < found->staff_count; i++)
      if (system_of[i] == system) sorted[count++] = found->staves[i];
    here->count = count - here->first;
  }
  memcpy(found->staves, sorted, (size_t)count * sizeof *sorted);
  for (int system = 0; system < systems; system++) describe(found, &found->systems[system]);
  for (int i = 1; i < systems; i++) {
    const struct found_system system = found->systems[i];
    int place = i;
    for (; place > 0 && is_before(&system, &found->systems[place - 1]); place--) found->systems[place] = found->systems[place - 1];
    found->systems[place] = system;
  }
  count = 0;
  for (int i = 0; i < systems; i++) {
    struct found_system *system = &found->systems[i];
    struct found_staff moved[WOODSHED_MOST_STAVES];
    memcpy(moved, found->staves, sizeof moved);
    for (int j = 0; j < system->count; j++) {
      sorted[count] = moved[system->first + j];
      sorted[count++].system = i;
    }
  }
  count = 0;
  for (int i = 0; i < systems; i++) {
    found->systems[i].first = count;
    count += found->systems[i].count;
    if (found->systems[i].join_confidence < 0.7F) found->systems[i].doubts |= WOODSHED_DOUBT_JOIN;
  }
  memcpy(found->staves, sorted, (size_t)count * sizeof *sorted);
}
