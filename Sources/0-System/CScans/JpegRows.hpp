#pragma once
#include "Resample.hpp"
#include <memory>

namespace scans {

/// The properties that a JPEG must have to be read in this way.
struct JpegForm {
    int width = 0;
    int height = 0;
    /// 1 for gray, 3 for colour.
    int channels = 0;
};

/// Reads a plain JPEG, gray or coloured, with libjpeg alone, at its full size. libjpeg could produce half the size, but that saves only an
/// eighth of the time, most of which is spent before there are pixels, and makes the result differ twenty times as much from cairo's.
///
/// The rows are gray, or blue, green and red. Any irregularity is a failure, even if libjpeg only warns about it.
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
