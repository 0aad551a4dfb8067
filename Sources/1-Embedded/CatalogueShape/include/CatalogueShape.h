#pragma once
#include <stddef.h>

/* One step of the catalogue's shape, as its file has it. */
struct catalogue_step {
  const char *name; /* as the catalogue notes it */
  const char *adds; /* a table that it adds: then it adds only, and programs of before go on with the catalogue; otherwise NULL */
  const unsigned char *bytes;
  size_t length;
};

extern const struct catalogue_step catalogue_steps[];
extern const size_t catalogue_steps_count;

/* The table's start, as a pointer that Swift imports. */
static inline const struct catalogue_step *woodshed_catalogue_steps(void) { return catalogue_steps; }
