#pragma once
#include "musiclines.h"

/* Finds staves that cannot be found by following five lines. */

/* Finds staves whose lines many notes hide; returns false if there is no memory. */
bool find_hidden(struct found_music *found, struct search *search);
/* Finds staves of one line. */
void find_single_lines(struct found_music *found, struct search *search);
