#pragma once
#include "Resample.hpp"
#include <memory>

namespace scans {

/// What a JPEG has to be for being read in this way.
struct JpegForm {
    int width = 0;
    int height = 0;
    /// 1 for gray, 3 for colours.
    int channels = 0;
};

/// Reads a plain JPEG, gray or in colours, with libjpeg alone, and all of its pixels: that it can make half as many saves an eighth
/// of the time, for most of it is spent before there are pixels, and takes the picture twenty times as far away from cairo's.
///
/// Its rows are gray, or blue, green and red. Everything that is not as it should be is a failure, also what libjpeg only
/// warns of.
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
