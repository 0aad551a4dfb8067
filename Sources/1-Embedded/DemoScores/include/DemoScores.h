#pragma once
#include <stddef.h>

/* One embedded file: a chart (PDF), a layer of marks (JSON), or words and chords in the service's format. */
struct demo_score {
  const char *name; /* the file's name without its ending */
  const char *kind; /* "chart", "marks" or "text" */
  const unsigned char *bytes;
  size_t length;
};

extern const struct demo_score demo_scores[];
extern const size_t demo_scores_count;

/* The start of the table, as a pointer that Swift can import. */
static inline const struct demo_score *woodshed_demo_scores(void) { return demo_scores; }
