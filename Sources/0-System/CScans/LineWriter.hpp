#pragma once
#include "Resample.hpp"
#include <vector>

namespace scans {

/// Receives finished lines of darkness, which are rows or columns of the page, and writes them to their places on the page.
///
/// A pixel is a byte of gray, or a word with a byte for each colour.
template <class Pixel> class LineWriter {
public:
    LineWriter(const Placement &placement, const Canvas &canvas)
        : placement(placement), canvas(canvas), length(static_cast<size_t>(placement.along.target)),
          block(placement.isTransposed ? length * columnsAtOnce : length)
    {
    }

    /// Where to write the next line.
    Pixel *line() { return block.data() + length * pending; }

    /// Accepts the line that the caller has written to `line()`.
    void put()
    {
        if (!placement.isTransposed) {
            putRow();
            return;
        }
        pending += 1;
        if (pending == columnsAtOnce || count + pending == static_cast<size_t>(placement.across.target)) {
            putColumns();
        }
    }

    /// How many lines have been received so far.
    size_t written() const { return count + pending; }

private:
    // This many words fit into a line of the processor's cache: writing columns one by one would load each cache line repeatedly.
    static constexpr size_t columnsAtOnce = 16;

    const Placement placement;
    const Canvas canvas;
    const size_t length;
    std::vector<Pixel> block;
    size_t count = 0;
    size_t pending = 0;

    static uint32_t word(uint8_t darkness) { return (255u - darkness) * 0x010101u; }
    static uint32_t word(uint32_t darkness) { return ~darkness; }

    size_t position(const Axis &axis, size_t index) const
    {
        return axis.isFlipped ? static_cast<size_t>(axis.target) - 1 - index : index;
    }

    void putRow()
    {
        uint32_t *const row = canvas.words + position(placement.across, count) * canvas.stride;
        const Pixel *const line = block.data();
        if (placement.along.isFlipped) {
            for (size_t x = 0; x < length; ++x) {
                row[length - 1 - x] = word(line[x]);
            }
        } else {
            for (size_t x = 0; x < length; ++x) {
                row[x] = word(line[x]);
            }
        }
        count += 1;
    }

    void putColumns()
    {
        for (size_t y = 0; y < length; ++y) {
            uint32_t *const row = canvas.words + position(placement.along, y) * canvas.stride;
            for (size_t column = 0; column < pending; ++column) {
                row[position(placement.across, count + column)] = word(block[column * length + y]);
            }
        }
        count += pending;
        pending = 0;
    }
};

} // namespace scans
