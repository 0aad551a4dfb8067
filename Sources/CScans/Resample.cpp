#include "Resample.hpp"
#include "LineWriter.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace scans {
namespace {

// Positions are counted in whole parts of a pixel, so that shares of one pixel add up to it exactly.
constexpr int partBits = 12;
constexpr uint32_t parts = 1u << partBits;

uint32_t inParts(double position) { return static_cast<uint32_t>(std::llround(position * parts)); }

/// Where a source pixel begins on the page, as far as it is to be seen.
uint32_t edge(const Axis &axis, int index)
{
    return inParts(std::clamp(axis.start + index * axis.step, axis.low, axis.high));
}

std::vector<uint32_t> edges(const Axis &axis)
{
    std::vector<uint32_t> result(static_cast<size_t>(axis.source) + 1);
    for (int index = 0; index <= axis.source; ++index) {
        result[static_cast<size_t>(index)] = edge(axis, index);
    }
    return result;
}

/// Big-endian, as rows of bits are: the first pixel is the highest bit.
uint64_t wordAt(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// Sums up rows of bits by their changes of colour, which are few.
///
/// Each change adds a step to a line's steps, shared between the pixel it falls into and the next; the running sum of
/// all steps is how much of each pixel is covered.
class BitLines {
public:
    BitLines(const Axis &along, bool inkIsOne, uint8_t darkness)
        : source(static_cast<size_t>(along.source)), target(static_cast<size_t>(along.target)), flip(inkIsOne ? 0 : ~uint64_t(0)),
          darkness(darkness), edgesAlong(edges(along)), steps(target + 2, 0)
    {
        changes.reserve(source + 1);
    }

    size_t bytesOfRow() const { return (source + 7) / 8; }
    /// A row without data is all ones.
    bool isBlank() const { return changes.empty(); }

    void take(const uint8_t *row)
    {
        changes.clear();
        uint64_t before = 0;
        for (size_t start = 0; start < source; start += 64) {
            uint64_t ink = wordAt(row + start / 8) ^ flip;
            const size_t left = source - start;
            if (left < 64) {
                ink &= ~uint64_t(0) << (64 - left);
            }
            uint64_t changed = ink ^ (ink >> 1 | before << 63);
            before = ink & 1;
            while (changed != 0) {
                const int bit = __builtin_clzll(changed);
                changes.push_back(edgesAlong[start + static_cast<size_t>(bit)]);
                changed &= ~(uint64_t(1) << 63 >> bit);
            }
        }
        if (changes.size() % 2 != 0) {
            changes.push_back(edgesAlong[source]);
        }
    }

    void add(uint32_t weight)
    {
        int32_t height = static_cast<int32_t>(weight);
        for (const uint32_t change : changes) {
            const int32_t second = height * static_cast<int32_t>(change % parts);
            steps[change >> partBits] += height * static_cast<int32_t>(parts) - second;
            steps[(change >> partBits) + 1] += second;
            height = -height;
        }
        isEmpty = isEmpty && changes.empty();
    }

    void finish(uint8_t *line)
    {
        if (isEmpty) {
            memset(line, 0, target);
            return;
        }
        constexpr uint32_t half = 1u << (2 * partBits - 1);
        int32_t covered = 0;
        for (size_t x = 0; x < target; ++x) {
            covered += steps[x];
            line[x] = static_cast<uint8_t>((uint64_t(static_cast<uint32_t>(covered)) * darkness + half) >> (2 * partBits));
        }
        memset(steps.data(), 0, steps.size() * sizeof(steps[0]));
        isEmpty = true;
    }

private:
    const size_t source;
    const size_t target;
    const uint64_t flip;
    const uint8_t darkness;
    const std::vector<uint32_t> edgesAlong;
    std::vector<uint32_t> changes;
    std::vector<int32_t> steps;
    bool isEmpty = true;
};

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

/// Between which source pixels a pixel of the page lies, and how near to the second in 256 parts.
struct Between {
    uint32_t first;
    uint16_t share;
};

Between between(const Axis &axis, int index)
{
    const double place = std::clamp((index + 0.5 - axis.start) / axis.step - 0.5, 0.0, double(axis.source - 1));
    const double first = std::floor(place);
    return {static_cast<uint32_t>(first), static_cast<uint16_t>(std::lround((place - first) * 256))};
}

/// How much of a pixel of the page the image covers, in parts.
uint32_t cover(const Axis &axis, int index)
{
    const auto seen = [&](double place) {
        return inParts(std::clamp(place, std::max(axis.low, axis.start), std::min(axis.high, axis.start + axis.source * axis.step)));
    };
    return seen(index + 1) - seen(index);
}

/// Draws an image that has fewer pixels than the page, between its pixels as cairo does.
void interpolate(Rows &rows, const Placement &placement, const uint8_t darkness[256], LineWriter &writer)
{
    const size_t source = static_cast<size_t>(placement.along.source);
    const size_t target = static_cast<size_t>(placement.along.target);
    std::vector<Between> placesAlong(target);
    std::vector<uint32_t> coversAlong(target);
    for (size_t x = 0; x < target; ++x) {
        placesAlong[x] = between(placement.along, static_cast<int>(x));
        coversAlong[x] = cover(placement.along, static_cast<int>(x));
    }
    // One pixel more, for the place after the last.
    std::vector<uint8_t> bytes(source + 1);
    std::vector<uint16_t> first(target), second(target);
    int have = -1;
    const auto next = [&] {
        rows.read(bytes.data(), source);
        for (size_t x = 0; x < source; ++x) {
            bytes[x] = darkness[bytes[x]];
        }
        bytes[source] = bytes[source - 1];
        first.swap(second);
        for (size_t x = 0; x < target; ++x) {
            const Between place = placesAlong[x];
            second[x] = static_cast<uint16_t>(bytes[place.first] * (256 - place.share) + bytes[place.first + 1] * place.share);
        }
        have += 1;
    };
    for (int index = 0; index < placement.across.target; ++index) {
        uint8_t *const line = writer.line();
        const uint32_t coverAcross = cover(placement.across, index);
        if (coverAcross == 0) {
            memset(line, 0, target);
            writer.put();
            continue;
        }
        const Between place = between(placement.across, index);
        // `second` is the row after the place, or the last one twice.
        const int wanted = std::min(static_cast<int>(place.first) + 1, placement.across.source - 1);
        while (have < wanted) {
            next();
        }
        const bool isLast = static_cast<int>(place.first) == have;
        const uint32_t share = isLast ? 256 : place.share;
        for (size_t x = 0; x < target; ++x) {
            line[x] = static_cast<uint8_t>((first[x] * (256 - share) + second[x] * share + 0x8000) >> 16);
        }
        for (size_t x = 0; x < target; ++x) {
            const uint32_t covered = coversAlong[x] * coverAcross;
            if (covered != parts * parts) {
                line[x] = static_cast<uint8_t>((uint64_t(line[x]) * covered + (parts * parts) / 2) >> (2 * partBits));
            }
        }
        writer.put();
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
