#pragma once
#include "musiclines.h"

/* Staves that are not five lines that can be followed. */

/* Those whose lines many notes hide; answers false if there is no memory. */
bool take_hidden(struct found_music *found, struct search *search);
/* Those of one line. */
void take_single_lines(struct found_music *found, struct search *search);
