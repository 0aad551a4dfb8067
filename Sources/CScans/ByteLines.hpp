#pragma once
#include "Parts.hpp"
#include <cstring>
#include <vector>

namespace scans {

/// Sums up rows of bytes, and each pixel's share along them once a line.
class ByteLines {
public:
    ByteLines(const Axis &along, const uint8_t darkness[256])
        : source(static_cast<size_t>(along.source)), target(static_cast<size_t>(along.target)), row(source), sums(source + 1, 0),
          before(source + 1), cuts(target + 1), scale(along.step / (double(parts) * parts))
    {
        memcpy(table, darkness, sizeof table);
        isStraight = true;
        for (int value = 0; value < 256; ++value) {
            isStraight = isStraight && table[value] == 255 - value;
        }
        for (size_t x = 0; x <= target; ++x) {
            const double place = (std::clamp(double(x), along.low, along.high) - along.start) / along.step;
            cuts[x] = inParts(std::clamp(place, 0.0, double(source)));
        }
    }

    size_t bytesOfRow() const { return source; }
    bool isBlank() const { return isWhite; }

    void take(const uint8_t *bytes)
    {
        uint8_t any = 0;
        if (isStraight) {
            for (size_t x = 0; x < source; ++x) {
                row[x] = static_cast<uint8_t>(~bytes[x]);
                any |= row[x];
            }
        } else {
            for (size_t x = 0; x < source; ++x) {
                row[x] = table[bytes[x]];
                any |= row[x];
            }
        }
        isWhite = any == 0;
    }

    void add(uint32_t weight)
    {
        if (isWhite) {
            return;
        }
        const uint16_t times = static_cast<uint16_t>(weight);
        for (size_t x = 0; x < source; ++x) {
            sums[x] += static_cast<uint32_t>(uint16_t(row[x])) * times;
        }
        isEmpty = false;
    }

    void finish(uint8_t *line)
    {
        if (isEmpty) {
            memset(line, 0, target);
            return;
        }
        uint64_t total = 0;
        for (size_t x = 0; x < source; ++x) {
            before[x] = total;
            total += sums[x];
        }
        before[source] = total;
        uint64_t last = upTo(cuts[0]);
        for (size_t x = 0; x < target; ++x) {
            const uint64_t next = upTo(cuts[x + 1]);
            line[x] = static_cast<uint8_t>(std::min(255, static_cast<int>(double(static_cast<int64_t>(next - last)) * scale + 0.5)));
            last = next;
        }
        memset(sums.data(), 0, sums.size() * sizeof(sums[0]));
        isEmpty = true;
    }

private:
    const size_t source;
    const size_t target;
    uint8_t table[256];
    bool isStraight;
    bool isWhite = true;
    bool isEmpty = true;
    std::vector<uint8_t> row;
    // One more than there are pixels: the cut at the very end looks at it, with a share of nothing.
    std::vector<uint32_t> sums;
    std::vector<uint64_t> before;
    std::vector<uint32_t> cuts;
    const double scale;

    uint64_t upTo(uint32_t cut) const { return (before[cut >> partBits] << partBits) + uint64_t(sums[cut >> partBits]) * (cut % parts); }
};

} // namespace scans
