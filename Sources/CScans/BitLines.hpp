#pragma once
#include "Parts.hpp"
#include <cstring>
#include <vector>

namespace scans {

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

    static std::vector<uint32_t> edges(const Axis &axis)
    {
        std::vector<uint32_t> result(static_cast<size_t>(axis.source) + 1);
        for (int index = 0; index <= axis.source; ++index) {
            result[static_cast<size_t>(index)] = edge(axis, index);
        }
        return result;
    }

    /// Big-endian, as rows of bits are: the first pixel is the highest bit.
    static uint64_t wordAt(const uint8_t *bytes)
    {
        uint64_t word;
        memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        return word;
    }
};

} // namespace scans
