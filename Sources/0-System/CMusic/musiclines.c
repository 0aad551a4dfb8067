#include "musiclines.h"

/* In narrow strips of the page, a line is a row that is mostly ink. Such rows are followed from strip to strip, which allows for
 * gaps, and for the slope and bend that the page still has. */

enum { MOST_PEAKS = 600, PATIENCE = 5 };
/* The greatest slope that a line may still have on the straightened page. */
static const float MOST_DRIFT = 0.03F;

/* MARK: Strips */

static bool make_strips(const struct page_bits *bits, struct strips *strips) {
  strips->width = bits->width < 800 ? 16 : bits->width < 2000 ? 32 : bits->width < 5000 ? 64 : 128;
  strips->count = (int)bits->width / strips->width;
  strips->rows = (int)bits->height;
  strips->inks = calloc((size_t)strips->count * bits->height + 1, 1);
  if (!strips->inks) return false;
  const size_t parts = strips->width < 64 ? 64 / (size_t)strips->width : 1, words = strips->width > 64 ? 2 : 1;
  const uint64_t mask = strips->width < 64 ? (UINT64_C(1) << strips->width) - 1 : ~UINT64_C(0);
  for (size_t y = 0; y < bits->height; y++) {
    const uint64_t *row = bits->words + y * bits->row;
    for (size_t strip = 0; strip < (size_t)strips->count; strip++) {
      uint64_t word = row[strip / parts * words];
      if (words == 1 && word == 0) continue;
      word = word >> (strip % parts * (size_t)strips->width) & mask;
      int inks = __builtin_popcountll(word);
      if (words == 2) inks += __builtin_popcountll(row[strip * 2 + 1]);
      strips->inks[strip * bits->height + y] = (uint8_t)inks;
    }
  }
  return true;
}

struct peak {
  float y, thickness;
  bool is_taken;
};

/* Adds short runs of rows with at least `least_inks` pixels of ink to the peaks. A run of more than `thickest` rows may hide a
 * line, so it is searched once more, for rows with `darker` pixels. Returns the number of peaks. */
static int find_peaks(const uint8_t *inks, int from, int to, int least_inks, int thickest, int darker, struct peak *peaks, int count) {
  for (int y = from; y < to && count < MOST_PEAKS;) {
    if (inks[y] < least_inks) {
      y++;
      continue;
    }
    const int start = y;
    int sum = 0, moment = 0, top = 0;
    for (; y < to && inks[y] >= least_inks; y++) {
      sum += inks[y];
      moment += inks[y] * (y - start);
      top = most(top, inks[y]);
    }
    if (y - start <= thickest) {
      peaks[count++] = (struct peak){(float)start + (float)moment / (float)sum, (float)sum / (float)top, false};
    } else if (darker > least_inks) {
      count = find_peaks(inks, start, y, darker, thickest, 0, peaks, count);
    }
  }
  return count;
}

/* MARK: Filaments */

static void fit(struct filament *filament);

/* `last_y` is smoothed, since a head or a beam pulls a line aside. The drift is computed from the whole line so far, since two
 * strips reveal too little. */
static void lengthen(struct filament *filament, int strip, float x, float strip_width, const struct peak *peak) {
  if (filament->count > 0) {
    const float expected = filament->last_y + filament->drift * (float)(strip - filament->last);
    filament->last_y = expected + (peak->y - expected) * (filament->count < 4 ? 0.6F : 0.4F);
  } else {
    filament->first = strip;
    filament->last_y = peak->y;
  }
  filament->last = strip;
  filament->thickness += peak->thickness;
  filament->count++;
  filament->sum_x += (double)x;
  filament->sum_y += (double)peak->y;
  filament->sum_xx += (double)x * (double)x;
  filament->sum_xy += (double)x * (double)peak->y;
  if (filament->count < 6) return;
  fit(filament);
  filament->drift = fminf(MOST_DRIFT, fmaxf(-MOST_DRIFT, filament->slope)) * strip_width;
}

static void fit(struct filament *filament) {
  const double n = filament->count, spread = n * filament->sum_xx - filament->sum_x * filament->sum_x;
  const double slope = filament->count < 3 || spread <= 0 ? 0 : (n * filament->sum_xy - filament->sum_x * filament->sum_y) / spread;
  filament->slope = (float)slope;
  filament->at_zero = (float)((filament->sum_y - slope * filament->sum_x) / n);
}

static bool follow_lines(struct search *search) {
  const struct strips *strips = &search->strips;
  struct peak peaks[MOST_PEAKS];
  int16_t *owners = malloc((size_t)strips->rows * sizeof *owners);
  int *active = malloc(MOST_FILAMENTS * sizeof *active), active_count = 0;
  if (!owners || !active) {
    free(owners);
    free(active);
    return false;
  }
  const int thickest = most(3, strips->rows / 250), least_inks = strips->width / 2, darker = strips->width * 7 / 8;
  for (int strip = 0; strip < strips->count; strip++) {
    const uint8_t *inks = strips->inks + (size_t)strip * (size_t)strips->rows;
    const int count = find_peaks(inks, 0, strips->rows, least_inks, thickest, darker, peaks, 0);
    memset(owners, -1, (size_t)strips->rows * sizeof *owners);
    for (int i = 0; i < count; i++) owners[nearest(peaks[i].y)] = (int16_t)i;
    const float x = ((float)strip + 0.5F) * (float)strips->width;
    int kept = 0;
    for (int i = 0; i < active_count; i++) {
      struct filament *filament = &search->filaments[active[i]];
      const int gap = strip - filament->last;
      const float expected = filament->last_y + filament->drift * (float)gap;
      const float reach = 1.3F + 0.008F * (float)(strips->width * gap);
      int best = -1;
      float distance = reach;
      for (int y = most(0, nearest(expected - reach)); y <= nearest(expected + reach) && y < strips->rows; y++) {
        if (owners[y] < 0 || peaks[owners[y]].is_taken) continue;
        if (filament->count > 3 && peaks[owners[y]].thickness > 2 * filament->thickness / (float)filament->count + 0.8F) continue;
        const float here = fabsf(peaks[owners[y]].y - expected);
        if (here <= distance) distance = here, best = owners[y];
      }
      if (best >= 0) {
        peaks[best].is_taken = true;
        lengthen(filament, strip, x, (float)strips->width, &peaks[best]);
      }
      if (best >= 0 || gap < PATIENCE) active[kept++] = active[i];
    }
    active_count = kept;
    for (int i = 0; i < count && search->count < MOST_FILAMENTS; i++) {
      if (peaks[i].is_taken || active_count >= MOST_FILAMENTS) continue;
      struct filament *filament = &search->filaments[search->count];
      *filament = (struct filament){0};
      lengthen(filament, strip, x, (float)strips->width, &peaks[i]);
      active[active_count++] = search->count++;
    }
  }
  free(owners);
  free(active);
  return true;
}

/* Keeps the filaments that are long enough and have few gaps, and orders them by height. */
static void sort_filaments(struct search *search) {
  int count = 0;
  for (int i = 0; i < search->count; i++) {
    struct filament *filament = &search->filaments[i];
    if (filament->count < LEAST_STRIPS || filament->count * 5 < (filament->last - filament->first + 1) * 2) continue;
    fit(filament);
    search->filaments[count++] = *filament;
  }
  search->count = count;
  for (int i = 0; i < count; i++) {
    int place = i;
    const double height = search->filaments[i].sum_y / search->filaments[i].count;
    for (; place > 0; place--) {
      const struct filament *other = &search->filaments[search->order[place - 1]];
      if (other->sum_y / other->count <= height) break;
      search->order[place] = search->order[place - 1];
    }
    search->order[place] = i;
  }
}

static void join_pieces(struct search *search) {
  const float width = (float)search->strips.width;
  for (int i = 0; i < search->count; i++) {
    struct filament *a = &search->filaments[search->order[i]];
    if (a->is_used) continue;
    for (int j = i + 1; j < search->count && j < i + 40; j++) {
      struct filament *b = &search->filaments[search->order[j]];
      if (b->is_used) continue;
      const struct filament *left = a->first < b->first ? a : b, *right = a->first < b->first ? b : a;
      if (right->first <= left->last || right->first - left->last > 10) continue;
      const float x = width * ((float)(left->last + right->first) / 2 + 0.5F);
      if (fabsf(left->last_y - height_at(right, width * ((float)left->last + 0.5F))) > 2.2F) continue;
      if (fabsf(height_at(left, x) - height_at(right, x)) > 1.6F) continue;
      if (a->first > b->first) a->first = b->first;
      else a->last_y = b->last_y;
      a->last = most(a->last, b->last);
      a->count += b->count;
      a->thickness += b->thickness;
      a->sum_x += b->sum_x;
      a->sum_y += b->sum_y;
      a->sum_xx += b->sum_xx;
      a->sum_xy += b->sum_xy;
      fit(a);
      b->is_used = true;
    }
  }
}

bool find_lines(struct search *search) {
  if (!make_strips(search->bits, &search->strips) || !follow_lines(search)) return false;
  sort_filaments(search);
  join_pieces(search);
  return true;
}
