#pragma once
#include <stddef.h>

/* One migration of the catalogue's schema: an embedded SQL file. */
struct catalogue_step {
  const char *name; /* the catalogue stores it under this name */
  const char *adds; /* the table that a step adds, if it changes nothing else: older programs can then still use the catalogue. NULL for other steps */
  const unsigned char *bytes;
  size_t length;
};

extern const struct catalogue_step catalogue_steps[];
extern const size_t catalogue_steps_count;

/* The start of the table, as a pointer that Swift can import. */
static inline const struct catalogue_step *woodshed_catalogue_steps(void) { return catalogue_steps; }
