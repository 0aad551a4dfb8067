#include "musicparts.h"

/* Removes system dividers: two heavy strokes, one above the other, that rise to the right between two systems, at either end of them. They
 * belong to neither system, and often touch both: the 8 below a clef, the number of a bar. */

enum { MOST_COLUMNS = 640, MOST_CLOSED = 3, CLOSED = -1 };

/* The white between the strokes in one column, and how much ink there is right above and right below it. */
struct slit {
  int y0, y1, above, below;
};

/* Where to look for a divider, and the slit that was followed from column `first` to column `last`, counted from the area's left edge. */
struct area {
  int x0, x1, y0, y1;
  int first, last;
  struct slit slits[MOST_COLUMNS];
};

static int ink_from(const struct page_bits *bits, int x, int y, int step, int limit) {
  int count = 0;
  while (count < limit && has_ink(bits, x, y + count * step)) count++;
  return count;
}

/* Examines the white at this place. A stroke is at least a third of a staff space thick, and the white is no thicker than a stroke. */
static bool is_slit(const struct page_bits *bits, int x, int y, float space, struct slit *slit) {
  if (has_ink(bits, x, y)) return false;
  const int limit = nearest(1.3F * space) + 1;
  int y0 = y, y1 = y + 1;
  while (y - y0 < limit && !has_ink(bits, x, y0 - 1)) y0--;
  while (y1 - y < limit && !has_ink(bits, x, y1)) y1++;
  const int above = ink_from(bits, x, y0 - 1, -1, limit), below = ink_from(bits, x, y1, 1, limit);
  if ((float)least(above, below) < 0.3F * space || y1 - y0 > least(above, below)) return false;
  *slit = (struct slit){y0, y1, above, below};
  return true;
}

/* Follows a slit to the next columns, towards the right (`step` 1), where it rises, or towards the left (-1). In a small image, the
 * strokes run together in some columns: those are marked as closed. Returns the last column that has the slit. */
static int follow(const struct page_bits *bits, struct area *area, int start, int step, float space) {
  const int thin = least(area->slits[start].above, area->slits[start].below);
  int last = start;
  for (int i = start + step; i >= 0 && i < area->x1 - area->x0 && abs(i - last) <= MOST_CLOSED + 1; i += step) {
    struct slit *slit = &area->slits[i];
    const int x = area->x0 + i, middle = (area->slits[last].y0 + area->slits[last].y1) / 2;
    bool is_here = is_slit(bits, x, middle + step, space, slit);
    for (int shift = 0; shift <= 2 * abs(i - last) && !is_here; shift++) is_here = is_slit(bits, x, middle - shift * step, space, slit);
    if (is_here && abs(least(slit->above, slit->below) - thin) > most(1, thin / 3)) break;
    if (is_here) last = i;
    else if (has_ink(bits, x, middle) || has_ink(bits, x, middle - abs(i - last) * step)) slit->y1 = CLOSED;
    else break;
  }
  return last;
}

static float middle_of(const struct slit *slit) { return (float)(slit->y0 + slit->y1) / 2; }

/* How thick the strokes are, if the slit is straight and rises and both strokes are equally thick in most columns; otherwise 0. */
static float thickness(const struct area *area, float rise, float space) {
  const int columns = area->last - area->first + 1;
  if ((float)columns < 1.7F * space || rise < 0.2F || rise > 1.6F) return 0;
  float sum = 0;
  int count = 0;
  for (int i = area->first; i <= area->last; i++) {
    const struct slit *slit = &area->slits[i];
    if (slit->y1 == CLOSED) continue;
    const float expected = middle_of(&area->slits[area->first]) - rise * (float)(i - area->first);
    if (fabsf(middle_of(slit) - expected) > fmaxf(1.5F, 0.15F * space)) return 0;
    sum += (float)least(slit->above, slit->below);
    count++;
  }
  const float thick = sum / (float)count, reach = fmaxf(1, 0.2F * thick);
  int alike = 0;
  for (int i = area->first; i <= area->last; i++) {
    const struct slit *slit = &area->slits[i];
    if (slit->y1 == CLOSED) continue;
    alike += (fabsf((float)slit->above - thick) <= reach) + (fabsf((float)slit->below - thick) <= reach);
  }
  return count * 2 >= columns && alike * 5 >= count * 6 ? thick : 0;
}

/* Wipes the strokes, with the pale pixels around them. */
static void wipe(struct page_bits *bits, const struct area *area, float rise, float thick) {
  float white = 0;
  for (int i = area->first; i <= area->last; i++)
    if (area->slits[i].y1 != CLOSED) white = fmaxf(white, (float)(area->slits[i].y1 - area->slits[i].y0));
  const float half = white / 2 + thick + 1.5F;
  for (int x = most(0, area->x0 + area->first - 2); x <= least((int)bits->width - 1, area->x0 + area->last + 2); x++) {
    const float middle = middle_of(&area->slits[area->first]) - rise * (float)(x - area->x0 - area->first);
    const int end = least((int)bits->height, nearest(middle + half));
    for (int y = most(0, nearest(middle - half)); y < end; y++)
      bits->words[(size_t)y * bits->row + (size_t)x / 64] &= ~(UINT64_C(1) << ((size_t)x % 64));
  }
}

/* Wipes the divider that the slit in this column is part of. Returns false if it is part of something else. */
static bool wipe_divider(struct page_bits *bits, struct area *area, int start, float space) {
  area->first = follow(bits, area, start, -1, space);
  area->last = follow(bits, area, start, 1, space);
  /* What reaches beyond the area is no divider. */
  if (area->first == 0 || area->last == area->x1 - area->x0 - 1) return false;
  const float fall = middle_of(&area->slits[area->last]) - middle_of(&area->slits[area->first]);
  const float rise = -fall / (float)most(1, area->last - area->first), thick = thickness(area, rise, space);
  if (thick > 0) wipe(bits, area, rise, thick);
  return thick > 0;
}

/* Removes the divider in an area, if there is one with a part in the columns from `from` to `to`. */
static void remove_divider(struct page_bits *bits, struct area *area, int from, int to, float space) {
  area->x0 = most(0, area->x0);
  area->x1 = least(least((int)bits->width, area->x1), area->x0 + MOST_COLUMNS);
  /* Two columns here and there, since in one of them the slit may be closed. */
  const int step = most(2, nearest(0.8F * space));
  for (int start = most(area->x0, from); start < least(area->x1, to) - 1; start += step)
    for (int x = start; x < start + 2; x++)
      for (int y = area->y0 + 1; y < area->y1; y++) {
        if (!has_ink(bits, x, y - 1) || !is_slit(bits, x, y, space, &area->slits[x - area->x0])) continue;
        if (wipe_divider(bits, area, x - area->x0, space)) return;
      }
}

void remove_dividers(struct found_music *found) {
  struct area area;
  for (int i = 0; i < found->system_count; i++) {
    const struct found_system *system = &found->systems[i];
    float above = -1;
    for (int j = 0; j < found->system_count; j++) {
      const struct found_system *other = &found->systems[j];
      if (other->staff_bottom <= system->staff_top && other->x0 < system->x1 && system->x0 < other->x1)
        above = fmaxf(above, other->staff_bottom);
    }
    if (above < 0) continue;
    const int space = nearest(system->space);
    area.y0 = most(nearest(above), nearest(system->staff_top) - 24 * space);
    area.y1 = nearest(system->staff_top);
    /* Further inside the system are notes, whose beams look the same. */
    area.x0 = system->x0 - 6 * space, area.x1 = system->x0 + 7 * space / 2;
    remove_divider(&found->bits, &area, area.x0, system->x0 + space, system->space);
    area.x0 = system->x1 - 7 * space / 2, area.x1 = system->x1 + 6 * space;
    remove_divider(&found->bits, &area, system->x1 - space, area.x1, system->space);
  }
}
