#pragma once
#include <stddef.h>

/* Two pages of the demo's piano album as a scanner sees them, at 600 dpi in black and white: a PDF with Group 4 fax data. The
 * pages are skewed and unevenly lit like the photographs of BenchmarkCorpus, and the data was encoded by the fax encoder of
 * PageRasterTests. */
const unsigned char *corpus_scan(void);
size_t corpus_scan_size(void);
