#pragma once
#include <stddef.h>

/* What makes a folder of images a booklet: the style and the script of its one page, which both stand in that page. */
extern const unsigned char offline_style[], offline_script[];
extern const size_t offline_style_length, offline_script_length;

/* The starts of both, as pointers that Swift can import. */
static inline const unsigned char *woodshed_offline_style(void) { return offline_style; }
static inline const unsigned char *woodshed_offline_script(void) { return offline_script; }
