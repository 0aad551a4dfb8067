#pragma once
#include "Resample.hpp"
#include <memory>

namespace scans {

/// What a JPEG has to be like to be read in this way.
struct JpegForm {
    int width = 0;
    int height = 0;
    /// 1 for gray, 3 for colour.
    int channels = 0;
};

/// Reads a plain JPEG, gray or coloured, with libjpeg alone, and all of its pixels: libjpeg could make half as many, but that saves only
/// an eighth of the time, since most of it is spent before there are pixels, and takes the result twenty times as far from cairo's.
///
/// Its rows are gray, or blue, green and red. Anything that is not as it should be is a failure, even what libjpeg only warns about.
class JpegRows final : public Rows {
public:
    JpegRows(const JpegForm &form, const std::vector<uint8_t> &bytes);
    ~JpegRows() override;

    Got read(uint8_t *bytes, size_t count) override;

private:
    struct Decoder;
    const std::unique_ptr<Decoder> decoder;
};

} // namespace scans
