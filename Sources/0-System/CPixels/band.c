#include "bits.h"
#include "packer.h"
#include <stdlib.h>

static void describe_symbols(woodshed_band_packer *packer) {
  unsigned base = 3;
  for (unsigned symbol = 257; symbol < 285; symbol++) {
    const uint8_t extra = symbol < 261 ? 0 : (uint8_t)((symbol - 261) >> 2);
    for (unsigned i = 0; i < 1u << extra && base + i <= MOST_MATCH; i++)
      packer->lengths[base + i] = (struct symbol){(uint16_t)symbol, (uint16_t)base, extra};
    base += 1u << extra;
  }
  packer->lengths[MOST_MATCH] = (struct symbol){285, MOST_MATCH, 0};
  base = 1;
  for (unsigned symbol = 0; symbol < DISTANCE_SYMBOLS; symbol++) {
    const uint8_t extra = symbol < 2 ? 0 : (uint8_t)((symbol >> 1) - 1);
    packer->distances[symbol] = (struct symbol){(uint16_t)symbol, (uint16_t)base, extra};
    base += 1u << extra;
  }
}

woodshed_band_packer *woodshed_band_packer_create(void) {
  woodshed_band_packer *packer = calloc(1, sizeof *packer);
  if (packer) describe_symbols(packer);
  return packer;
}

void woodshed_band_packer_destroy(woodshed_band_packer *packer) {
  if (packer) free(packer->steps);
  free(packer);
}

size_t woodshed_band_bound(size_t count) {
  /* Counts every byte as the longest code word, since no match takes more than its bytes would; plus the closing block, the
   * longest block header, and the room for writing whole words. Stored blocks take less. */
  return count / 8 * LONGEST_LITERAL_CODE + (count / STORED_BLOCK + 2) * 5 + 1024;
}

/* MARK: Writing */

/* The order in which deflate stores the lengths of the code for lengths. */
static const uint8_t length_order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

/* A block's header: the word lengths of both codes, run-length encoded and then Huffman-coded. */
struct header {
  uint8_t symbols[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
  uint8_t extras[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
  unsigned count;
  unsigned literals, distances, order;
  struct code code[LENGTH_SYMBOLS];
};

static unsigned extra_bits(unsigned symbol) { return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7; }

static void make_header(struct header *header, const struct code *literals, const struct code *distances) {
  header->literals = LITERAL_SYMBOLS;
  while (header->literals > 257 && literals[header->literals - 1].length == 0) header->literals--;
  header->distances = DISTANCE_SYMBOLS;
  while (header->distances > 1 && distances[header->distances - 1].length == 0) header->distances--;
  uint8_t lengths[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
  unsigned count = 0;
  for (unsigned i = 0; i < header->literals; i++) lengths[count++] = literals[i].length;
  for (unsigned i = 0; i < header->distances; i++) lengths[count++] = distances[i].length;

  uint32_t frequencies[LENGTH_SYMBOLS] = {0};
  header->count = 0;
  for (unsigned i = 0; i < count;) {
    unsigned run = 1;
    while (i + run < count && lengths[i + run] == lengths[i]) run++;
    uint8_t symbol = lengths[i], extra = 0;
    if (symbol == 0 && run >= 3) {
      if (run > 138) run = 138;
      symbol = run <= 10 ? 17 : 18;
      extra = (uint8_t)(run <= 10 ? run - 3 : run - 11);
    } else if (i > 0 && lengths[i - 1] == symbol && run >= 3) {
      if (run > 6) run = 6;
      symbol = 16;
      extra = (uint8_t)(run - 3);
    } else {
      run = 1;
    }
    header->symbols[header->count] = symbol;
    header->extras[header->count++] = extra;
    frequencies[symbol]++;
    i += run;
  }
  make_code(frequencies, LENGTH_SYMBOLS, 7, header->code);
  header->order = LENGTH_SYMBOLS;
  while (header->order > 4 && header->code[length_order[header->order - 1]].length == 0) header->order--;
}

static void write_header(struct bits *bits, const struct header *header) {
  /* This is not the last block, and it has codes of its own. */
  put(bits, 4, 3);
  put(bits, header->literals - 257, 5);
  put(bits, header->distances - 1, 5);
  put(bits, header->order - 4, 4);
  flush(bits);
  for (unsigned i = 0; i < header->order; i++) {
    put(bits, header->code[length_order[i]].length, 3);
    flush(bits);
  }
  for (unsigned i = 0; i < header->count; i++) {
    const struct code code = header->code[header->symbols[i]];
    put(bits, code.bits, code.length);
    put(bits, header->extras[i], extra_bits(header->symbols[i]));
    flush(bits);
  }
}

static const uint8_t *write_literals(struct bits *bits, const uint8_t *bytes, size_t count, const struct code *codes) {
  for (; count >= 3; count -= 3, bytes += 3) {
    const struct code a = codes[bytes[0]], b = codes[bytes[1]], c = codes[bytes[2]];
    put(bits, a.bits | (uint64_t)b.bits << a.length | (uint64_t)c.bits << (a.length + b.length), a.length + b.length + c.length);
    flush(bits);
  }
  for (; count > 0; count--, bytes++) put(bits, codes[*bytes].bits, codes[*bytes].length);
  flush(bits);
  return bytes;
}

static void write_steps(woodshed_band_packer *packer, struct bits *bits, const uint8_t *bytes, size_t steps,
                        const struct code *literals, const struct code *distances) {
  for (const struct step *step = packer->steps; step < packer->steps + steps; step++) {
    bytes = write_literals(bits, bytes, step->literals, literals);
    if (step->length == 0) continue;
    const struct symbol distance = packer->distances[distance_symbol(step->distance)];
    const struct code word = distances[distance.symbol];
    const uint64_t distance_bits = word.bits | (uint64_t)(step->distance - distance.base) << word.length;
    const unsigned distance_count = word.length + distance.extra;
    for (size_t length = step->length; length > 0;) {
      const size_t each = part(length);
      const struct symbol symbol = packer->lengths[each];
      put(bits, literals[symbol.symbol].bits, literals[symbol.symbol].length);
      put(bits, each - symbol.base, symbol.extra);
      put(bits, distance_bits, distance_count);
      flush(bits);
      length -= each;
    }
    bytes += step->length;
  }
  put(bits, literals[END_OF_BLOCK].bits, literals[END_OF_BLOCK].length);
  flush(bits);
}

/* Ends the band at a byte boundary, by means of an empty stored block: so that any other band can follow. */
static void write_boundary(struct bits *bits) {
  put(bits, 0, 3);
  align(bits);
  memcpy(bits->out, (const uint8_t[]){0, 0, 0xff, 0xff}, 4);
  bits->out += 4;
}

static size_t write_stored(const uint8_t *bytes, size_t count, uint8_t *out) {
  uint8_t *end = out;
  while (count > 0) {
    const size_t each = count < STORED_BLOCK ? count : STORED_BLOCK;
    const uint8_t head[5] = {0, (uint8_t)each, (uint8_t)(each >> 8), (uint8_t)~each, (uint8_t)(~each >> 8)};
    memcpy(end, head, 5);
    memcpy(end + 5, bytes, each);
    end += 5 + each;
    bytes += each;
    count -= each;
  }
  return (size_t)(end - out);
}

size_t woodshed_band_pack(woodshed_band_packer *packer, const uint8_t *bytes, size_t count, size_t row, size_t pixel, bool filtered,
                          uint8_t *out) {
  const size_t steps = describe_band(packer, bytes, count, row, pixel, filtered);
  if (steps == 0) return 0;
  struct code literals[MOST_SYMBOLS], distances[DISTANCE_SYMBOLS];
  make_code(packer->literal_counts, LITERAL_SYMBOLS, LONGEST_LITERAL_CODE, literals);
  make_code(packer->distance_counts, DISTANCE_SYMBOLS, LONGEST_DISTANCE_CODE, distances);
  struct header header;
  make_header(&header, literals, distances);
  struct bits bits = {0, 0, out};
  write_header(&bits, &header);
  write_steps(packer, &bits, bytes, steps, literals, distances);
  write_boundary(&bits);
  const size_t written = (size_t)(bits.out - out);
  return written < count ? written : write_stored(bytes, count, out);
}
