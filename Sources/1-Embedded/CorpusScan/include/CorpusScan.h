#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Two pages of the demo's piano album as a scanner sees them, at 600 dpi in black and white: a PDF with Group 4 fax data. The
 * pages are skewed and unevenly lit like the photographs of BenchmarkCorpus, and the data was encoded by the fax encoder of
 * PageRasterTests. */
const unsigned char *corpus_scan(void);
size_t corpus_scan_size(void);

/* Pixels as a JPEG, as scanners and phones write it; the caller frees it. The pixels are row by row from the top, each one byte of
 * gray or three of red, green and blue. If something is wrong, libjpeg prints a message and ends the process. */
unsigned char *corpus_jpeg(const unsigned char *pixels, int width, int height, bool gray, int quality, size_t *count);
