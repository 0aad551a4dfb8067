#include "CorpusScan.h"

/* #embed is C23; the compiler accepts it in every mode and would only warn. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char scan[] = {
#embed "scan-bilevel-600.pdf"
};

const unsigned char *corpus_scan(void) { return scan; }
size_t corpus_scan_size(void) { return sizeof scan; }
