#pragma once
#include <stddef.h>

/* An embedded file. */
struct manual_page {
  const char *name; /* a page's topic, as in 'woodshed help marks', or a file's name */
  const unsigned char *bytes;
  size_t length;
};

extern const struct manual_page manual_pages[];
extern const size_t manual_pages_count;

/* The JSON schema of a .marks.json file. */
extern const struct manual_page layer_schema;

/* The files that make the program a part of a user's session: its unit and its menu entry from the sample
 * configuration, and the viewer's icon. */
extern const struct manual_page session_unit, session_entry, session_icon;

/* The start of the table, as a pointer that Swift can import. */
static inline const struct manual_page *woodshed_manual_pages(void) { return manual_pages; }
