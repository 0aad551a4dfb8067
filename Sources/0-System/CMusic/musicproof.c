#include "musicproof.h"

/* Checks staves by their pixels: each line of a staff must be ink for most of its length, with white between the lines. */

/* How much of a line's length is ink: the share of every third column that has ink within `reach` rows of the line. */
float coverage(const struct page_bits *bits, float y, float slope, int x0, int x1, int reach) {
  int inked = 0, all = 0;
  for (int x = x0; x <= x1; x += 3, all++) {
    const int row = nearest(y + slope * (float)x);
    for (int j = -reach; j <= reach; j++)
      if (has_ink(bits, x, row + j)) {
        inked++;
        break;
      }
  }
  return all > 0 ? (float)inked / (float)all : 0;
}

/* The share of places in the middle between two lines, in every third column, that are white; 1 for a staff of one line. */
static float white_between(const struct page_bits *bits, const struct found_staff *staff) {
  int white = 0, all = 0;
  for (int x = staff->x0; x <= staff->x1; x += 3)
    for (int k = 0; k + 1 < staff->lines; k++, all++)
      white += !has_ink(bits, x, nearest((staff_line(staff, k, (float)x) + staff_line(staff, k + 1, (float)x)) / 2));
  return all > 0 ? (float)white / (float)all : 1;
}

/* A column of a staff has most of its lines and, unless it may be part of a bar line, white between some of them. */
static bool is_staff_column(const struct page_bits *bits, const struct found_staff *staff, int x, bool may_be_bar) {
  const int reach = most(1, nearest(staff->thickness / 2));
  int lines = 0, spaces = 0;
  for (int k = 0; k < staff->lines; k++) {
    const float y = staff_line(staff, k, (float)x);
    bool is_inked = false;
    for (int j = -reach; j <= reach && !is_inked; j++) is_inked = has_ink(bits, x, nearest(y) + j);
    lines += is_inked;
    if (k + 1 < staff->lines) spaces += has_ink(bits, x, nearest(y + staff->space / 2));
  }
  return lines * 5 >= staff->lines * 3 && (may_be_bar || spaces * 4 <= (staff->lines - 1) * 3);
}

/* Follows a staff from a place within it to its end: past gaps, but not to a brace or a letter beyond, which is narrower than a
 * piece of the staff would be. */
static int find_end(const struct page_bits *bits, const struct found_staff *staff, int start, int step) {
  const int patience = most(4, nearest(1.3F * staff->space)), needed = most(3, nearest(0.5F * staff->space));
  int last = start, run = needed;
  for (int x = start; x >= 0 && x < (int)bits->width && abs(x - last) <= patience + needed; x += step) {
    run = is_staff_column(bits, staff, x, false) ? run + 1 : 0;
    if (run >= needed || (run > 0 && abs(x - last) <= 1)) last = x;
  }
  return last;
}

void find_ends(const struct page_bits *bits, struct found_staff *staff) {
  const int width = (int)bits->width, x0 = within(staff->x0, 0, width - 1), x1 = within(staff->x1, 0, width - 1);
  staff->x0 = find_end(bits, staff, x0, -1);
  staff->x1 = find_end(bits, staff, x1, 1);
  /* Move the ends inwards, since the first or the last strip may reach beyond the staff. */
  if (staff->x0 == x0)
    while (staff->x0 < x1 && !is_staff_column(bits, staff, staff->x0, false)) staff->x0++;
  if (staff->x1 == x1)
    while (staff->x1 > staff->x0 && !is_staff_column(bits, staff, staff->x1, false)) staff->x1--;
  /* Include bar lines at the ends, if the staff's lines reach them. */
  const int left = most(0, staff->x0 - nearest(0.6F * staff->space)), right = least(width - 1, staff->x1 + nearest(2 * staff->space));
  while (staff->lines > 1 && staff->x0 > left && is_staff_column(bits, staff, staff->x0 - 1, true)) staff->x0--;
  while (staff->lines > 1 && staff->x1 < right && is_staff_column(bits, staff, staff->x1 + 1, true)) staff->x1++;
}

float line_coverage(const struct page_bits *bits, const struct found_staff *staff, int line) {
  const float fan = (staff->bottom_slope - staff->top_slope) / (float)most(1, staff->lines - 1);
  return coverage(bits, staff_line(staff, line, 0), staff->top_slope + fan * (float)line, staff->x0, staff->x1, staff->space > 6 ? 1 : 0);
}

/* Chooses five or six of the evenly spaced lines that may be there: those with ink for most of the staff's length. Notes on ledger
 * lines look like a line with gaps, and a line may have been too faint to be followed. Changes nothing if no five lines are good
 * enough. */
void choose_lines(const struct page_bits *bits, struct found_staff *staff) {
  enum { BEYOND = 2, MOST = MOST_LINES + 2 * BEYOND };
  float shares[MOST];
  const int count = staff->lines + 2 * BEYOND;
  for (int i = 0; i < count; i++) shares[i] = line_coverage(bits, staff, i - BEYOND);
  int best = 0;
  float most_covered = -1;
  for (int i = 0; i + 5 <= count; i++) {
    float sum = 0, worst = 1;
    for (int k = 0; k < 5; k++) sum += shares[i + k], worst = fminf(worst, shares[i + k]);
    if (sum + worst > most_covered) most_covered = sum + worst, best = i;
  }
  float inner = 1;
  for (int k = 0; k < 5; k++) inner = fminf(inner, shares[best + k]);
  if (inner < (staff->lines == 4 ? 0.25F : 0.4F)) return;
  int lines = 5;
  /* A sixth line must be as good as the five. */
  if (best + 5 < count && shares[best + 5] > 0.85F * inner && inner > 0.7F) lines = 6;
  else if (best > 0 && shares[best - 1] > 0.85F * inner && inner > 0.7F) lines = 6, best--;
  const float fan = staff->lines > 1 ? (staff->bottom_slope - staff->top_slope) / (float)(staff->lines - 1) : 0;
  const float up = (float)(best - BEYOND);
  staff->is_weak = staff->is_weak || staff->lines < 5;
  staff->top += up * staff->space;
  staff->top_slope += up * fan;
  staff->bottom = staff->top + (float)(lines - 1) * staff->space;
  staff->bottom_slope = staff->top_slope + (float)(lines - 1) * fan;
  staff->lines = lines;
}

/* Whether only every second line of a staff was found: at least two lines lie half way between the lines that were found. */
bool is_doubled(const struct page_bits *bits, const struct found_staff *staff) {
  int doubled = 0;
  for (int k = 0; k + 1 < staff->lines; k++) {
    const float y = (staff_line(staff, k, 0) + staff_line(staff, k + 1, 0)) / 2;
    doubled += coverage(bits, y, (staff->top_slope + staff->bottom_slope) / 2, staff->x0, staff->x1, staff->space > 8 ? 1 : 0) > 0.75F;
  }
  return doubled >= 2;
}

bool check_staff(const struct page_bits *bits, struct found_staff *staff) {
  if (staff->thickness > 0.45F * staff->space + 1 || staff->space < LEAST_SPACE) return false;
  if ((float)(staff->x1 - staff->x0) < 4 * staff->space) return false;
  float worst = 1, second = 1, sum = 0;
  for (int k = 0; k < staff->lines; k++) {
    const float share = line_coverage(bits, staff, k);
    sum += share;
    if (share < worst) second = worst, worst = share;
    else if (share < second) second = share;
  }
  /* One line may have vanished in a copy if the others are good. */
  if (worst <= 0.42F && second > 0.75F && staff->lines == 5) worst = 0.42F;
  const float white = white_between(bits, staff);
  staff->confidence = worst * fminf(1, white * 1.6F);
  return sum / (float)staff->lines > 0.5F && worst > 0.3F && white > 0.35F;
}

bool is_free(const struct found_music *found, const struct found_staff *staff) {
  const float x = (float)(staff->x0 + staff->x1) / 2;
  for (int i = 0; i < found->staff_count; i++) {
    const struct found_staff *other = &found->staves[i];
    if (staff->x1 < other->x0 || staff->x0 > other->x1) continue;
    const float top = staff_top(other, x) - other->space, bottom = staff_bottom(other, x) + other->space;
    if (staff_bottom(staff, x) > top && staff_top(staff, x) < bottom) return false;
  }
  return true;
}
