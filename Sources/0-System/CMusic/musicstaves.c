#include "musichidden.h"
#include "musicproof.h"

/* Staves: five lines that are evenly spaced and as long as each other, or nearly so. */

enum { SOURCES = 8, LONGEST_CHAIN = 12 };

/* MARK: Chains of evenly spaced lines */

struct chain {
  int lines[LONGEST_CHAIN];  /* filaments, or -1 for one that is missing */
  int count, found;
  float space;
};

static int overlap(const struct filament *a, const struct filament *b) { return least(a->last, b->last) - most(a->first, b->first) + 1; }

/* Whether two lines overlap enough to be in one staff. If strict, they share most of their lengths, as in a staff that was printed well. */
static bool is_beside(const struct filament *a, const struct filament *b, bool is_strict) {
  const int long_a = a->last - a->first + 1, long_b = b->last - b->first + 1, shared = overlap(a, b);
  return is_strict ? shared * 10 >= most(long_a, long_b) * 6 : shared * 2 >= least(long_a, long_b) && shared >= LEAST_STRIPS - 1;
}

/* Finds the filament nearest to height `y`, within `reach`, among those that come after `place` in the order. Returns its place in the
 * order; -1 if there is none. */
static int line_at(const struct search *search, int place, const struct filament *first, float x, float y, float reach, bool is_strict) {
  int best = -1;
  for (int i = place + 1; i < search->count; i++) {
    const struct filament *other = &search->filaments[search->order[i]];
    const double height = other->sum_y / other->count;
    if (height > (double)(y + reach) + 60) break;
    if (other->is_used || !is_beside(first, other, is_strict)) continue;
    const float distance = fabsf(height_at(other, x) - y);
    if (distance <= reach) reach = distance, best = i;
  }
  return best;
}

static struct chain follow_chain(const struct search *search, int place, int second, float x, bool is_strict) {
  const struct filament *first = &search->filaments[search->order[place]];
  const float top = height_at(first, x);
  struct chain chain = {{place, second}, 2, 2, height_at(&search->filaments[search->order[second]], x) - top};
  int misses = 0;
  float last = top + chain.space;
  int last_index = 1;
  for (int k = 2; k < LONGEST_CHAIN; k++) {
    const float expected = last + chain.space * (float)(k - last_index);
    const int next = line_at(search, place, first, x, expected, 0.1F * chain.space + 0.6F, is_strict);
    chain.lines[k] = next;
    if (next < 0) {
      if (is_strict || ++misses > 1) break;
      continue;
    }
    last = height_at(&search->filaments[search->order[next]], x);
    last_index = k;
    chain.count = k + 1;
    chain.found++;
    chain.space = (last - top) / (float)k;
    misses = 0;
  }
  return chain;
}
/* MARK: From chains to staves */

/* Sets the staff's ends to the outermost places that at least two lines reach. */
static void set_ends(const struct search *search, const struct chain *chain, struct found_staff *staff) {
  int first[2] = {INT32_MAX, INT32_MAX}, last[2] = {-1, -1};
  for (int k = 0; k < chain->count; k++) {
    if (chain->lines[k] < 0) continue;
    const struct filament *line = &search->filaments[search->order[chain->lines[k]]];
    if (line->first < first[0]) first[1] = first[0], first[0] = line->first;
    else if (line->first < first[1]) first[1] = line->first;
    if (line->last > last[0]) last[1] = last[0], last[0] = line->last;
    else if (line->last > last[1]) last[1] = line->last;
  }
  staff->x0 = first[1] * search->strips.width + search->strips.width / 2;
  staff->x1 = last[1] * search->strips.width + search->strips.width / 2;
}

static int length_of(const struct search *search, int place) {
  if (place < 0) return 0;
  const struct filament *line = &search->filaments[search->order[place]];
  return line->last - line->first + 1;
}

static void drop_first(struct chain *chain) {
  chain->found -= chain->lines[0] >= 0;
  chain->count--;
  memmove(chain->lines, chain->lines + 1, (size_t)chain->count * sizeof *chain->lines);
}

/* While there are more than five lines, drops the outer ones that are much shorter than the longest: they are something else. */
static void drop_short_ends(const struct search *search, struct chain *chain) {
  int longest = 0;
  for (int k = 0; k < chain->count; k++) longest = most(longest, length_of(search, chain->lines[k]));
  while (chain->count > 5) {
    const int above = length_of(search, chain->lines[0]), below = length_of(search, chain->lines[chain->count - 1]);
    if (least(above, below) * 10 >= longest * 7) return;
    if (above < below) drop_first(chain);
    else chain->count--, chain->found -= below > 0;
    while (chain->count > 0 && chain->lines[chain->count - 1] < 0) chain->count--;
    while (chain->count > 0 && chain->lines[0] < 0) drop_first(chain);
  }
}

/* Whether at least three long lines lie between the chain's lines, which then do not belong to one staff. */
static bool is_crowded(const struct search *search, const struct chain *chain, const struct found_staff *staff) {
  const float strip = (float)search->strips.width;
  int crowd = 0;
  for (int i = 0; i < search->count; i++) {
    const struct filament *line = &search->filaments[i];
    const float left = fmaxf((float)staff->x0, strip * (float)line->first);
    const float right = fminf((float)staff->x1, strip * (float)(line->last + 1));
    if ((right - left) * 2 < (float)(staff->x1 - staff->x0)) continue;
    const float x = (left + right) / 2, place = (height_at(line, x) - staff_top(staff, x)) / staff->space;
    if (place < 0 || place > (float)(chain->count - 1)) continue;
    const float part = place - floorf(place);
    crowd += part > 0.25F && part < 0.75F;
  }
  return crowd >= 3;
}

/* The whole staff's height and slope from all of its lines. */
static void set_lines(const struct search *search, const struct chain *chain, struct found_staff *staff) {
  double sum_k = 0, sum_kk = 0, sum_y = 0, sum_ky = 0, sum_s = 0, sum_ks = 0, weight = 0, thickness = 0;
  for (int k = 0; k < chain->count; k++) {
    if (chain->lines[k] < 0) continue;
    const struct filament *line = &search->filaments[search->order[chain->lines[k]]];
    const double w = line->count, middle = (double)(staff->x0 + staff->x1) / 2;
    const double y = (double)line->at_zero + (double)line->slope * middle;
    weight += w;
    sum_k += w * k;
    sum_kk += w * k * k;
    sum_y += w * y;
    sum_ky += w * k * y;
    sum_s += w * (double)line->slope;
    sum_ks += w * k * (double)line->slope;
    thickness += (double)line->thickness;
  }
  const double spread = weight * sum_kk - sum_k * sum_k, middle = (double)(staff->x0 + staff->x1) / 2;
  const double space = spread > 0 ? (weight * sum_ky - sum_k * sum_y) / spread : 0, top = (sum_y - space * sum_k) / weight;
  /* In a photograph, the lines may converge slightly; a short staff does not show how much. */
  const bool is_long = staff->x1 - staff->x0 > 12 * search->strips.width;
  const double fan = is_long && spread > 0 ? (weight * sum_ks - sum_k * sum_s) / spread : 0, slope = (sum_s - fan * sum_k) / weight;
  staff->lines = chain->count;
  staff->space = (float)space;
  staff->top_slope = (float)slope;
  staff->bottom_slope = (float)(slope + fan * (chain->count - 1));
  staff->top = (float)(top - slope * middle);
  staff->bottom = (float)(top + space * (chain->count - 1) - (slope + fan * (chain->count - 1)) * middle);
  staff->thickness = (float)(thickness / weight);
}

static void use_lines(struct search *search, const struct found_staff *staff) {
  for (int i = 0; i < search->count; i++) {
    struct filament *line = &search->filaments[i];
    const float left = (float)most(line->first * search->strips.width, staff->x0);
    const float right = (float)least((line->last + 1) * search->strips.width, staff->x1);
    if (left >= right) continue;
    const float x = (left + right) / 2, y = height_at(line, x);
    if (y > staff_top(staff, x) - staff->space * 0.6F && y < staff_bottom(staff, x) + staff->space * 0.6F) line->is_used = true;
  }
}

static void reject_lines(struct search *search, const struct chain *chain) {
  for (int k = 0; k < chain->count; k++)
    if (chain->lines[k] >= 0) search->filaments[search->order[chain->lines[k]]].is_used = true;
}

static bool is_better(const struct chain *a, const struct chain *b) {
  /* Chains of five or six lines are preferred, since staves have so many lines; longer chains are ruled paper. */
  const int worth_a = a->count == 5 ? 20 + a->found : a->count == 6 ? 19 + a->found : a->found;
  const int worth_b = b->count == 5 ? 20 + b->found : b->count == 6 ? 19 + b->found : b->found;
  return worth_a > worth_b;
}

/* Lines of words are evenly spaced, too, so a staff that is unlike the page's other staves needs a higher confidence. */
static float difference(const struct found_music *found, const struct found_staff *staff) {
  float closest = found->staff_count > 0 ? 99 : 0;
  for (int i = 0; i < found->staff_count; i++) closest = fminf(closest, fabsf(logf(staff->space / found->staves[i].space)));
  return closest;
}

static bool is_odd(const struct found_music *found, const struct found_staff *staff) {
  const float closest = difference(found, staff);
  const float needed = closest > 0.4F ? 0.8F : closest > 0.12F ? 0.65F : 0.4F;
  return staff->confidence < (staff->lines < 5 ? fmaxf(needed, 0.7F) : needed);
}

/* Whether a short staff lies over a long one, as the beams and signs between its notes may seem to. */
static bool is_over_another(const struct found_music *found, const struct found_staff *staff) {
  const float x = (float)(staff->x0 + staff->x1) / 2;
  for (int i = 0; i < found->staff_count; i++) {
    const struct found_staff *other = &found->staves[i];
    if (x < (float)other->x0 || x > (float)other->x1 || (staff->x1 - staff->x0) * 3 > other->x1 - other->x0) continue;
    if (staff_bottom(staff, x) > staff_top(other, x) && staff_top(staff, x) < staff_bottom(other, x)) return true;
  }
  return false;
}

/* Makes staves of chains of lines, of which at least `least_found` must have been followed; the others may be faint. */
static void add_chains(struct found_music *found, struct search *search, int least_found, bool is_strict) {
  /* On paper, the largest print has a space of a seventieth of the longer side; this limit leaves some room. */
  const float widest = fminf(MOST_SPACE, (float)most(search->strips.rows, (int)search->bits->width) / 40);
  for (int place = 0; place < search->count; place++) {
    const struct filament *first = &search->filaments[search->order[place]];
    if (first->is_used) continue;
    struct chain best = {{0}, 0, 0, 0};
    int tried = 0;
    for (int next = place + 1; next < search->count && tried < SOURCES; next++) {
      const struct filament *second = &search->filaments[search->order[next]];
      if (second->is_used || !is_beside(first, second, is_strict)) continue;
      const float strip = (float)(most(first->first, second->first) + least(first->last, second->last)) / 2;
      const float x = (strip + 0.5F) * (float)search->strips.width;
      const float space = height_at(second, x) - height_at(first, x);
      if (space < LEAST_SPACE) continue;
      if (space > widest) break;
      tried++;
      const struct chain chain = follow_chain(search, place, next, x, is_strict);
      /* Only chains that begin with neighbouring lines can show ruled paper: any page has some lines that are evenly spaced far apart. */
      if (chain.count > MOST_LINES && tried > 1) continue;
      if (is_better(&chain, &best)) best = chain;
      if (best.found >= 5) break;
    }
    if (best.found < least_found) continue;
    drop_short_ends(search, &best);
    if (best.count > MOST_LINES) {
      if (!is_strict || best.found < 8) continue;
      reject_lines(search, &best);
      found->doubts |= WOODSHED_DOUBT_LEFT_OVER;
      continue;
    }
    if (best.found < least_found) continue;
    struct found_staff staff = {0};
    set_ends(search, &best, &staff);
    set_lines(search, &best, &staff);
    if (best.found < best.count) staff.is_weak = true;
    if (is_crowded(search, &best, &staff)) continue;
    if (staff.lines > 3 || least_found < 4) choose_lines(search->bits, &staff);
    if (staff.lines < 5 && least_found < 4) continue;
    find_ends(search->bits, &staff);
    if (is_doubled(search->bits, &staff)) continue;
    if (!check_staff(search->bits, &staff)) continue;
    if (least_found < 5 && is_odd(found, &staff)) continue;
    /* No page has staves of twice the size of all others, but five verses under one another look like one. */
    if (difference(found, &staff) > 0.7F || is_over_another(found, &staff)) continue;
    use_lines(search, &staff);
    if (found->staff_count == WOODSHED_MOST_STAVES) {
      found->doubts |= WOODSHED_DOUBT_FULL;
      return;
    }
    found->staves[found->staff_count++] = staff;
  }
}
/* MARK: All staves */

static bool is_over(const struct found_staff *a, const struct found_staff *b) {
  return staff_top(a, (float)(a->x0 + a->x1) / 2) < staff_top(b, (float)(b->x0 + b->x1) / 2);
}

static void sort_staves(struct found_music *found) {
  for (int i = 1; i < found->staff_count; i++) {
    const struct found_staff staff = found->staves[i];
    int place = i;
    for (; place > 0 && is_over(&staff, &found->staves[place - 1]); place--) found->staves[place] = found->staves[place - 1];
    found->staves[place] = staff;
  }
}

/* Two pieces of one staff, on either side of a gap, become one. */
static void join_staves(struct found_music *found) {
  for (int i = 0; i < found->staff_count; i++)
    for (int j = i + 1; j < found->staff_count; j++) {
      struct found_staff *a = &found->staves[i], *b = &found->staves[j];
      if (a->x0 > b->x0) {
        const struct found_staff swap = *a;
        *a = *b;
        *b = swap;
      }
      const float gap = (float)(b->x0 - a->x1), x = (float)(a->x1 + b->x0) / 2;
      if (gap < -2 * a->space || gap > 16 * a->space || a->lines != b->lines) continue;
      if (fabsf(staff_top(a, x) - staff_top(b, x)) > 0.35F * a->space) continue;
      if (fabsf(staff_bottom(a, x) - staff_bottom(b, x)) > 0.35F * a->space) continue;
      /* The slope of the longer piece is more accurate. */
      const bool is_left = a->x1 - a->x0 >= b->x1 - b->x0;
      const int x0 = a->x0, x1 = most(a->x1, b->x1);
      if (!is_left) *a = *b;
      a->x0 = x0;
      a->x1 = x1;
      found->staves[j] = found->staves[--found->staff_count];
      j = i;
    }
}

/* Whether at least two long lines belong to no staff: they may be part of a staff that was not recognised. */
static bool has_left_over(const struct found_music *found, const struct search *search) {
  int count = 0;
  for (int i = 0; i < search->count; i++) {
    const struct filament *line = &search->filaments[i];
    const int strips = line->last - line->first + 1;
    if (strips * 2 < search->strips.count || line->count * 10 < strips * 9) continue;
    struct found_staff here = {.x0 = line->first * search->strips.width, .x1 = line->last * search->strips.width};
    here.top = here.bottom = line->at_zero;
    here.top_slope = here.bottom_slope = line->slope;
    count += is_free(found, &here);
  }
  return count >= 2;
}

bool find_staves(struct found_music *found) {
  struct search search = {&found->bits, {0}, NULL, NULL, 0};
  search.filaments = malloc(MOST_FILAMENTS * sizeof *search.filaments);
  search.order = malloc(MOST_FILAMENTS * sizeof *search.order);
  bool is_done = search.filaments && search.order && find_lines(&search);
  if (is_done) {
    if (search.count == MOST_FILAMENTS) found->doubts |= WOODSHED_DOUBT_FULL;
    add_chains(found, &search, 5, true);
    add_chains(found, &search, 4, true);
    add_chains(found, &search, 4, false);
    add_chains(found, &search, 3, false);
    join_staves(found);
    is_done = find_hidden(found, &search);
    find_single_lines(found, &search);
    if (has_left_over(found, &search)) found->doubts |= WOODSHED_DOUBT_LEFT_OVER;
    sort_staves(found);
  }
  free(search.strips.inks);
  free(search.filaments);
  free(search.order);
  return is_done;
}
