#include "Resample.hpp"
#include "BitLines.hpp"
#include "ByteLines.hpp"
#include "Interpolate.hpp"
#include "LineWriter.hpp"

namespace scans {
namespace {

/// Feeds rows to lines that take the mean of the area.
template <class Lines>
void average(Rows &rows, const Placement &placement, Lines lines, LineWriter &writer)
{
    const Axis &across = placement.across;
    std::vector<uint8_t> bytes(lines.bytesOfRow() + 8);
    const auto finish = [&] {
        lines.finish(writer.line());
        writer.put();
    };
    const uint32_t last = inParts(across.high);
    uint32_t start = edge(across, 0);
    bool hasMore = true;
    bool isOver = false;
    for (int index = 0; index < across.source && start < last; ++index) {
        const bool hadMore = hasMore;
        hasMore = hasMore && rows.read(bytes.data(), lines.bytesOfRow());
        const uint32_t end = edge(across, index + 1);
        if (start == end) {
            continue;
        }
        if (hadMore) {
            lines.take(bytes.data());
        } else if (!isOver) {
            isOver = true;
            memset(bytes.data(), 0xff, bytes.size());
            lines.take(bytes.data());
        }
        // Rows without data are alike, and mostly white: then the page is done.
        if (isOver && lines.isBlank()) {
            break;
        }
        while (start < end) {
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
    while (writer.written() < static_cast<size_t>(across.target)) {
        finish();
    }
}

} // namespace

void drawBits(Rows &rows, const Placement &placement, bool inkIsOne, uint8_t darkness, const Canvas &canvas)
{
    LineWriter writer(placement, canvas);
    average(rows, placement, BitLines(placement.along, inkIsOne, darkness), writer);
}

void drawBytes(Rows &rows, const Placement &placement, const uint8_t darkness[256], const Canvas &canvas)
{
    LineWriter writer(placement, canvas);
    if (placement.along.isSmaller() && placement.across.isSmaller()) {
        average(rows, placement, ByteLines(placement.along, darkness), writer);
    } else {
        interpolate(rows, placement, darkness, writer);
    }
}

} // namespace scans
