#pragma once
#include <stddef.h>

/* One embedded file: a chart (PDF), a layer of marks (JSON), or words and chords in the way that the service has them. */
struct demo_score {
  const char *name; /* the file's name without its ending */
  const char *kind; /* "chart", "marks" or "text" */
  const unsigned char *bytes;
  size_t length;
};

extern const struct demo_score demo_scores[];
extern const size_t demo_scores_count;

/* The table's start, as a pointer that Swift imports. */
static inline const struct demo_score *woodshed_demo_scores(void) { return demo_scores; }
