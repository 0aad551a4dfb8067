#include "CorpusScan.h"
#include <stdio.h>
#include <jpeglib.h>

unsigned char *corpus_jpeg(const unsigned char *pixels, int width, int height, bool gray, int quality, size_t *count) {
    struct jpeg_compress_struct image;
    struct jpeg_error_mgr errors;
    unsigned char *made = NULL;
    unsigned long length = 0;
    image.err = jpeg_std_error(&errors);
    jpeg_create_compress(&image);
    jpeg_mem_dest(&image, &made, &length);
    image.image_width = width;
    image.image_height = height;
    image.input_components = gray ? 1 : 3;
    image.in_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&image);
    jpeg_set_quality(&image, quality, TRUE);
    jpeg_start_compress(&image, TRUE);
    while (image.next_scanline < image.image_height) {
        JSAMPROW row = (JSAMPROW)pixels + (size_t)image.next_scanline * width * image.input_components;
        jpeg_write_scanlines(&image, &row, 1);
    }
    jpeg_finish_compress(&image);
    jpeg_destroy_compress(&image);
    *count = length;
    return made;
}
