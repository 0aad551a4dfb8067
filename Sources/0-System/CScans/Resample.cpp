#include "Resample.hpp"
#include "BitLines.hpp"
#include "ByteLines.hpp"
#include "Interpolate.hpp"
#include "LineWriter.hpp"

namespace scans {
namespace {

/// Passes an image's rows to `lines`, which adds them up for each line of the page, and writes the lines to the page.
template <class Source, class Lines> bool sumUp(Source &rows, const Placement &placement, Lines lines, const Canvas &canvas)
{
    LineWriter<typename Lines::Pixel> writer(placement, canvas);
    const auto finish = [&] {
        lines.finish(writer.line());
        writer.put();
    };
    const Axis &across = placement.across;
    const std::vector<uint32_t> edgesAcross = edges(across);
    const size_t target = static_cast<size_t>(across.target);
    Got got = Got::row;
    for (size_t index = 0; index + 1 < edgesAcross.size() && edgesAcross[index] < edgesAcross.back(); ++index) {
        const bool wasOver = got == Got::end;
        got = lines.readRow(rows);
        if (got == Got::failure) {
            return false;
        }
        // All rows after the end of the data are alike. If they are blank, as usual, the page is finished.
        if (wasOver && lines.isBlank()) {
            break;
        }
        const uint32_t end = edgesAcross[index + 1];
        for (uint32_t start = edgesAcross[index]; start < end;) {
            const uint32_t lineEnd = static_cast<uint32_t>(writer.written() + 1) << partBits;
            if (start < lineEnd) {
                const uint32_t next = std::min(end, lineEnd);
                lines.add(next - start);
                start = next;
            }
            if (start >= lineEnd) {
                finish();
            }
        }
    }
    while (writer.written() < target) {
        finish();
    }
    return true;
}

} // namespace

bool drawInk(InkRows &rows, const Placement &placement, uint8_t darkness, const Canvas &canvas)
{
    return sumUp(rows, placement, BitLines(placement.along, darkness), canvas);
}

bool drawGray(Rows &rows, const Placement &placement, const uint8_t darkness[256], const Canvas &canvas)
{
    if (!placement.along.isSmaller() || !placement.across.isSmaller()) {
        LineWriter<uint8_t> writer(placement, canvas);
        return interpolate(rows, placement, darkness, writer);
    }
    bool isWhite = true;
    for (int value = 0; value < 256; ++value) {
        isWhite = isWhite && darkness[value] == 255 - value;
    }
    return sumUp(rows, placement, ByteLines<1>(placement.along, isWhite ? nullptr : darkness), canvas);
}

bool drawColors(Rows &rows, const Placement &placement, const Canvas &canvas)
{
    return sumUp(rows, placement, ByteLines<3>(placement.along, nullptr), canvas);
}

} // namespace scans
