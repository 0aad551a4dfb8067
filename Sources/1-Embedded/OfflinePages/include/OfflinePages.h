#pragma once
#include <stddef.h>

/* The parts that make a booklet of a folder of images: the style and the script, which are both embedded in its one page. */
extern const unsigned char offline_style[], offline_script[];
extern const size_t offline_style_length, offline_script_length;

/* The starts of both arrays, as pointers that Swift can import. */
static inline const unsigned char *woodshed_offline_style(void) { return offline_style; }
static inline const unsigned char *woodshed_offline_script(void) { return offline_script; }
