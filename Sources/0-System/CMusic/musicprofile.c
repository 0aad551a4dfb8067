#include "musicparts.h"

/* The profile of a staff: the ink in each of the columns that its system is divided into. The staff's own lines, thin strokes (stems,
 * slurs, letters) and long ones (beams) are left out, so that heads of notes and rests remain. */

enum { MOST_REACH = 4, PARTS = 4, KINDS = WOODSHED_COLUMN_BYTES };

struct zone {
  /* The pixels around a staff, column by column: 1 for ink, and another bit for ink that is kept. */
  uint8_t *pixels;
  int x0, width, height;
  /* From the upper edge to the uppermost line. */
  int above;
  float space;
};

enum { INK = 1, BROAD = 2, KEPT = 4, LOW = 8 };

static bool overlaps(const struct found_staff *a, const struct found_staff *b) { return a->x0 < b->x1 && b->x0 < a->x1; }

/* How far the zone reaches above the staff or below it: to the middle of the way to the next one, at most some spaces. */
static int reach_of(const struct found_music *found, const struct found_staff *staff, bool is_above) {
  const float x = (float)(staff->x0 + staff->x1) / 2;
  float reach = MOST_REACH * staff->space;
  for (int i = 0; i < found->staff_count; i++) {
    const struct found_staff *other = &found->staves[i];
    if (other == staff || !overlaps(staff, other)) continue;
    const float gap = is_above ? staff_top(staff, x) - staff_bottom(other, x) : staff_top(other, x) - staff_bottom(staff, x);
    if (gap >= 0) reach = fminf(reach, gap / 2);
  }
  return most(1, nearest(reach));
}

static void copy_pixels(const struct found_music *found, const struct found_staff *staff, const struct zone *zone) {
  for (int i = 0; i < zone->width; i++) {
    const int x = zone->x0 + i, top = nearest(staff_top(staff, (float)x)) - zone->above;
    uint8_t *column = zone->pixels + (size_t)i * (size_t)zone->height;
    for (int y = 0; y < zone->height; y++) column[y] = has_ink(&found->bits, x, top + y);
  }
}

/* Makes heads of long notes as solid as those of short ones. The white inside a head is lower than the white between two lines. */
static void fill_holes(const struct zone *zone) {
  const size_t height = (size_t)zone->height;
  const int low = nearest(0.62F * zone->space), narrow = nearest(1.1F * zone->space);
  for (int x = 0; x < zone->width; x++) {
    uint8_t *column = zone->pixels + (size_t)x * height;
    for (int y = 0; y < zone->height; y++) {
      const int first = y;
      while (y < zone->height && !column[y]) y++;
      if (first == 0 || y == zone->height || y - first > low) continue;
      for (int i = first; i < y; i++) column[i] = LOW;
    }
  }
  for (int y = 0; y < zone->height; y++)
    for (int x = 0; x < zone->width; x++) {
      uint8_t *row = zone->pixels + y;
      const int first = x;
      while (x < zone->width && row[(size_t)x * height] != INK) x++;
      const bool is_hole = first > 0 && x < zone->width && x - first <= narrow;
      for (int i = first; i < x; i++) row[(size_t)i * height] = is_hole && row[(size_t)i * height] == LOW;
    }
}

/* Removes the staff's lines, except where something crosses them: there, the ink is higher than a line is thick. */
static void drop_lines(const struct found_staff *staff, const struct zone *zone) {
  const int thick = nearest(staff->thickness + fmaxf(1, 0.12F * staff->space));
  for (int i = 0; i < zone->width; i++) {
    const int x = zone->x0 + i, top = nearest(staff_top(staff, (float)x)) - zone->above;
    uint8_t *column = zone->pixels + (size_t)i * (size_t)zone->height;
    for (int k = 0; k < staff->lines; k++) {
      int y = nearest(staff_line(staff, k, (float)x)) - top;
      if (y < 1 || y + 1 >= zone->height) continue;
      if (!column[y]) y += column[y + 1] ? 1 : -1;
      if (!column[y]) continue;
      int first = y, last = y;
      while (first > 0 && column[first - 1]) first--;
      while (last + 1 < zone->height && column[last + 1]) last++;
      if (last - first + 1 <= thick) memset(column + first, 0, (size_t)(last - first + 1));
    }
  }
}

/* Removes ink outside the staff that is not joined to ink in it, row by row from the staff outwards: words, most signs. */
static void drop_loose(const struct zone *zone, int from, int direction) {
  const size_t height = (size_t)zone->height;
  for (int y = from; y >= 0 && y < zone->height; y += direction) {
    uint8_t *row = zone->pixels + y;
    for (int x = 0; x < zone->width; x++) {
      if (!row[(size_t)x * height]) continue;
      const int first = x;
      bool is_joined = false;
      for (; x < zone->width && row[(size_t)x * height]; x++) is_joined = is_joined || row[(ptrdiff_t)((size_t)x * height) - direction];
      if (is_joined) continue;
      for (int i = first; i < x; i++) row[(size_t)i * height] = 0;
    }
  }
}

/* Marks ink that is neither thin nor long from side to side; ink that is not thin from top to bottom either is kept. */
static void keep_broad(const struct zone *zone) {
  const size_t height = (size_t)zone->height;
  const int thin = most(3, nearest(0.4F * zone->space)), length = nearest(2.8F * zone->space);
  for (int y = 0; y < zone->height; y++)
    for (int x = 0; x < zone->width; x++) {
      uint8_t *row = zone->pixels + y;
      if (!row[(size_t)x * height]) continue;
      const int first = x;
      while (x < zone->width && row[(size_t)x * height]) x++;
      if (x - first < thin || x - first > length) continue;
      for (int i = first; i < x; i++) row[(size_t)i * height] |= BROAD;
    }
  const int low = most(2, nearest(0.3F * zone->space));
  for (int x = 0; x < zone->width; x++) {
    uint8_t *column = zone->pixels + (size_t)x * height;
    for (int y = 0; y < zone->height; y++) {
      const int first = y;
      while (y < zone->height && column[y] & BROAD) y++;
      if (y - first >= low)
        for (int i = first; i < y; i++) column[i] |= KEPT;
    }
  }
}

static uint8_t in_parts(int pixels, float unit) { return (uint8_t)within(nearest((float)pixels / unit), 0, UINT8_MAX); }

static void write_columns(const struct zone *zone, float first, float wide, int columns, uint8_t *bytes) {
  for (int column = 0; column < columns; column++, bytes += KINDS) {
    const int from = most(zone->x0, nearest(first + wide * (float)column));
    const int to = least(zone->x0 + zone->width, nearest(first + wide * (float)(column + 1)));
    int kept = 0, others = 0;
    int64_t heights = 0;
    for (int x = from; x < to; x++) {
      const uint8_t *pixels = zone->pixels + (size_t)(x - zone->x0) * (size_t)zone->height;
      for (int y = 0; y < zone->height; y++) {
        if (pixels[y] & KEPT) kept++, heights += y - zone->above;
        else others += pixels[y];
      }
    }
    memset(bytes, 0, KINDS);
    if (to <= from) continue;
    const float unit = zone->space / 8 * (float)(to - from);
    bytes[0] = in_parts(kept, unit);
    bytes[1] = in_parts(others, unit);
    if (kept) bytes[2] = (uint8_t)within(64 + nearest((float)heights / (float)kept * 8 / zone->space), 1, UINT8_MAX);
  }
}

int profile_columns(const struct found_system *system) {
  return within(nearest((float)(system->x1 - system->x0) * PARTS / fmaxf(1, system->space)), 1, WOODSHED_MOST_COLUMNS);
}

bool write_profile(const struct found_music *found, int index, uint8_t *bytes) {
  const struct found_staff *staff = &found->staves[index];
  const struct found_system *system = &found->systems[staff->system];
  const int columns = profile_columns(system), above = reach_of(found, staff, true), below = reach_of(found, staff, false);
  const int height = nearest(staff_bottom(staff, (float)staff->x0) - staff_top(staff, (float)staff->x0));
  struct zone zone = {.x0 = staff->x0, .width = most(1, staff->x1 - staff->x0 + 1), .height = above + most(1, height) + below};
  zone.above = above;
  zone.space = staff->space;
  zone.pixels = malloc((size_t)zone.width * (size_t)zone.height);
  if (!zone.pixels) return false;
  copy_pixels(found, staff, &zone);
  fill_holes(&zone);
  drop_lines(staff, &zone);
  const int edge = most(1, nearest(0.3F * zone.space));
  drop_loose(&zone, zone.above - edge, -1);
  drop_loose(&zone, zone.height - below + edge, 1);
  keep_broad(&zone);
  write_columns(&zone, (float)system->x0, (float)(system->x1 - system->x0) / (float)columns, columns, bytes);
  free(zone.pixels);
  return true;
}
