#include "KnownPoppler.hpp"
#if WOODSHED_KNOWS_POPPLER
#include "JpegRows.hpp"
#include <cstdio>
#include <cstring>

#include <Error.h>
#include <csetjmp>
#include <jpeglib.h>

namespace scans {

/// libjpeg's state. libjpeg reports errors by longjmp, so no object with a destructor may live in a function that calls it.
struct JpegRows::Decoder {
    jpeg_decompress_struct image {};
    jpeg_error_mgr errors {};
    jmp_buf wayOut {};
    bool isMade = false;
    bool isReading = false;

    /// Reports the reason, because poppler, which then draws what it can, reports none.
    [[noreturn]] static void leave(j_common_ptr image)
    {
        char reason[JMSG_LENGTH_MAX];
        (*image->err->format_message)(image, reason);
        error(errSyntaxError, -1, "A picture is odd: {0:s}", reason);
        longjmp(static_cast<Decoder *>(image->client_data)->wayOut, 1);
    }

    static void hear(j_common_ptr image, int level)
    {
        // A level below 0 is a warning; any other message is only informative.
        if (level < 0) {
            leave(image);
        }
    }

    /// Returns whether the image can be read and matches `form`.
    bool start(const JpegForm &form, const uint8_t *bytes, size_t count)
    {
        image.err = jpeg_std_error(&errors);
        errors.error_exit = leave;
        errors.emit_message = hear;
        image.client_data = this;
        if (setjmp(wayOut) != 0) {
            return false;
        }
        jpeg_create_decompress(&image);
        isMade = true;
        image.client_data = this;
        jpeg_mem_src(&image, bytes, count);
        jpeg_read_header(&image, TRUE);
        // An image in several scans would have to be kept in memory as a whole.
        if (image.image_width != static_cast<JDIMENSION>(form.width) || image.image_height != static_cast<JDIMENSION>(form.height)
            || image.num_components != form.channels || image.data_precision != 8 || jpeg_has_multiple_scans(&image)) {
            return false;
        }
        const bool isGray = form.channels == 1;
        if (isGray ? image.jpeg_color_space != JCS_GRAYSCALE : image.jpeg_color_space != JCS_YCbCr && image.jpeg_color_space != JCS_RGB) {
            return false;
        }
        image.out_color_space = isGray ? JCS_GRAYSCALE : JCS_EXT_BGR;
        jpeg_start_decompress(&image);
        isReading = true;
        return true;
    }

    bool read(uint8_t *bytes, size_t count)
    {
        if (!isReading || count != size_t(image.output_width) * static_cast<size_t>(image.output_components)) {
            return false;
        }
        if (setjmp(wayOut) != 0) {
            isReading = false;
            return false;
        }
        return jpeg_read_scanlines(&image, &bytes, 1) == 1;
    }

    void end()
    {
        if (isMade && setjmp(wayOut) == 0) {
            jpeg_destroy_decompress(&image);
        }
    }
};

JpegRows::JpegRows(const JpegForm &form, const std::vector<uint8_t> &bytes) : decoder(std::make_unique<Decoder>())
{
    decoder->start(form, bytes.data(), bytes.size());
}

JpegRows::~JpegRows() { decoder->end(); }

Got JpegRows::read(uint8_t *bytes, size_t count)
{
    return decoder->read(bytes, count) ? Got::row : Got::failure;
}

} // namespace scans

#endif
