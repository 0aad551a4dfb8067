#pragma once
#include <stdint.h>

enum { MOST_SYMBOLS = 288 };

/* A code word: its bits in the order of writing, and their number, which is 0 for a symbol that does not occur. */
struct code {
  uint16_t bits;
  uint8_t length;
};

/* A prefix code for symbols with these frequencies: the best one, unless words had to be shortened to `longest` bits. */
void make_code(const uint32_t *frequencies, unsigned symbols, unsigned longest, struct code *codes);
