#pragma once
#include <stddef.h>

/* One step of the catalogue's shape, as its file has it. */
struct catalogue_migration {
  const char *name; /* as the catalogue notes it */
  const unsigned char *bytes;
  size_t length;
};

extern const struct catalogue_migration catalogue_migrations[];
extern const size_t catalogue_migrations_count;

/* What all steps lead to. */
extern const struct catalogue_migration catalogue_schema;

/* The table's start, as a pointer that Swift imports. */
static inline const struct catalogue_migration *woodshed_catalogue_migrations(void) { return catalogue_migrations; }
