#include "huffman.h"
#include <string.h>

/* The frequency in the upper bits and the symbol in the lower ones: one number to sort by. Symbols break ties, so that the result
 * depends only on the input. */
typedef uint64_t entry;
enum { SYMBOL_BITS = 9, LONGEST = 32 };

static void sort(entry *entries, int count) {
  static const int gaps[] = {132, 57, 23, 10, 4, 1};
  for (unsigned g = 0; g < sizeof gaps / sizeof *gaps; g++) {
    const int gap = gaps[g];
    for (int i = gap; i < count; i++) {
      const entry each = entries[i];
      int j = i;
      for (; j >= gap && entries[j - gap] > each; j -= gap) entries[j] = entries[j - gap];
      entries[j] = each;
    }
  }
}

/* Counts the words of each length in Huffman's tree over at least two sorted entries. */
static void count_lengths(const entry *sorted, int count, int *lengths) {
  uint64_t weights[2 * MOST_SYMBOLS];
  int parents[2 * MOST_SYMBOLS];
  for (int i = 0; i < count; i++) weights[i] = sorted[i] >> SYMBOL_BITS;
  /* Leaves and inner nodes are both in ascending order, so the lightest is always at the front of one list or the other. */
  int leaf = 0, inner = count, next = count;
  const int root = 2 * count - 2;
  for (; next <= root; next++) {
    uint64_t sum = 0;
    for (int child = 0; child < 2; child++) {
      const int least = leaf < count && (inner == next || weights[leaf] <= weights[inner]) ? leaf++ : inner++;
      sum += weights[least];
      parents[least] = next;
    }
    weights[next] = sum;
  }
  int depths[2 * MOST_SYMBOLS];
  depths[root] = 0;
  memset(lengths, 0, LONGEST * sizeof *lengths);
  for (int i = root - 1; i >= 0; i--) {
    depths[i] = depths[parents[i]] + 1;
    if (i < count) lengths[depths[i] < LONGEST - 1 ? depths[i] : LONGEST - 1]++;
  }
}

/* Shortens words that are too long, as cheaply as possible without a search. */
static void limit(int *lengths, unsigned longest) {
  for (unsigned i = longest + 1; i < LONGEST; i++) {
    lengths[longest] += lengths[i];
    lengths[i] = 0;
  }
  /* A complete set of words fills this room exactly; after shortening, the set takes more. */
  const uint32_t room = 1u << longest;
  uint32_t used = 0;
  for (unsigned i = 1; i <= longest; i++) used += (uint32_t)lengths[i] << (longest - i);
  for (; used > room; used--) {
    lengths[longest]--;
    unsigned i = longest - 1;
    while (lengths[i] == 0) i--;
    lengths[i]--;
    lengths[i + 1] += 2;
  }
}

static uint16_t reversed(unsigned bits, unsigned length) {
  unsigned result = 0;
  for (unsigned i = 0; i < length; i++) result |= (bits >> i & 1) << (length - 1 - i);
  return (uint16_t)result;
}

/* Numbers the words as deflate requires: by length, then by symbol. */
static void number(struct code *codes, unsigned symbols) {
  unsigned counts[LONGEST] = {0}, next[LONGEST] = {0};
  for (unsigned i = 0; i < symbols; i++) counts[codes[i].length]++;
  unsigned bits = 0;
  counts[0] = 0;
  for (unsigned i = 1; i < LONGEST; i++) next[i] = bits = (bits + counts[i - 1]) << 1;
  for (unsigned i = 0; i < symbols; i++)
    if (codes[i].length > 0) codes[i].bits = reversed(next[codes[i].length]++, codes[i].length);
}

void make_code(const uint32_t *frequencies, unsigned symbols, unsigned longest, struct code *codes) {
  entry sorted[MOST_SYMBOLS];
  int count = 0;
  memset(codes, 0, symbols * sizeof *codes);
  for (unsigned i = 0; i < symbols; i++)
    if (frequencies[i] > 0) sorted[count++] = (entry)frequencies[i] << SYMBOL_BITS | i;
  if (count == 0) return;
  if (count == 1) {
    codes[sorted[0] & ((1 << SYMBOL_BITS) - 1)].length = 1;
    return;
  }
  sort(sorted, count);
  int lengths[LONGEST];
  count_lengths(sorted, count, lengths);
  limit(lengths, longest);
  /* The rarest symbols get the longest words. */
  int i = 0;
  for (unsigned length = longest; length > 0; length--)
    for (int left = lengths[length]; left > 0; left--) codes[sorted[i++] & ((1 << SYMBOL_BITS) - 1)].length = (uint8_t)length;
  number(codes, symbols);
}
