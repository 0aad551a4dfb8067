#pragma once
#include "musicparts.h"

/* Checks whether a supposed staff exists, and finds its ends. */

/* The least and the greatest distance between lines, in pixels. */
static const float LEAST_SPACE = 2.4F, MOST_SPACE = 60;

float coverage(const struct page_bits *bits, float y, float slope, int x0, int x1, int reach);
float line_coverage(const struct page_bits *bits, const struct found_staff *staff, int line);
void find_ends(const struct page_bits *bits, struct found_staff *staff);
void choose_lines(const struct page_bits *bits, struct found_staff *staff);
bool is_doubled(const struct page_bits *bits, const struct found_staff *staff);
/* Whether the lines are ink and the spaces white; sets the staff's confidence. */
bool check_staff(const struct page_bits *bits, struct found_staff *staff);
/* Whether no staff was found at or near this place. */
bool is_free(const struct found_music *found, const struct found_staff *staff);
