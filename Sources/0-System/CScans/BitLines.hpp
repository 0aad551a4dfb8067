#pragma once
#include "Parts.hpp"
#include <cstring>

namespace scans {

/// Sums rows of ink by their changes of colour, which are few.
///
/// Each change adds a step to a line's steps, divided between the pixel that it falls into and the next one; the running sum of
/// all steps is how much of each pixel is covered.
class BitLines {
public:
    using Pixel = uint8_t;

    BitLines(const Axis &along, uint8_t darkness)
        : target(static_cast<size_t>(along.target)), darkness(darkness), edgesAlong(edges(along)), changes(edgesAlong.size() + 1), steps(target + 4, 0), grays(target + 4)
    {
    }

    bool isBlank() const { return count == 0; }

    Got readRow(InkRows &rows)
    {
        Ink ink {};
        const Got got = rows.read(ink);
        count = ink.count;
        for (size_t index = 0; index < count; ++index) {
            changes[index] = edgesAlong[ink.changes[index]];
        }
        return got;
    }

    void add(uint32_t weight)
    {
        int32_t height = static_cast<int32_t>(weight);
        for (size_t index = 0; index < count; ++index) {
            const uint32_t change = changes[index];
            const int32_t second = height * static_cast<int32_t>(change % parts);
            int32_t *const step = &steps[change >> partBits];
            step[0] += height * static_cast<int32_t>(parts) - second;
            step[1] += second;
            height = -height;
        }
        isEmpty = isEmpty && count == 0;
    }

    void finish(uint8_t *line)
    {
        if (isEmpty) {
            memset(line, 0, target);
            return;
        }
        // Four pixels at a time: add up the earlier ones among the four, and then everything before the four.
        Four before {};
        for (size_t x = 0; x < target; x += 4) {
            Four sum;
            memcpy(&sum, &steps[x], sizeof sum);
            sum += __builtin_shufflevector(sum, Four {}, 4, 0, 1, 2);
            sum += __builtin_shufflevector(sum, Four {}, 4, 5, 0, 1);
            sum += before;
            before = __builtin_shufflevector(sum, sum, 3, 3, 3, 3);
            // At most 2²⁴ · 255 + 2²³, which is less than 2³².
            const auto bytes = __builtin_convertvector((sum * darkness + half) >> (2 * partBits), FourBytes);
            memcpy(&grays[x], &bytes, sizeof bytes);
        }
        memcpy(line, grays.data(), target);
        memset(steps.data(), 0, steps.size() * sizeof(steps[0]));
        isEmpty = true;
    }

private:
    using Four = uint32_t __attribute__((vector_size(16)));
    using FourBytes = uint8_t __attribute__((vector_size(4)));
    static constexpr uint32_t half = 1u << (2 * partBits - 1);

    const size_t target;
    const uint32_t darkness;
    const std::vector<uint32_t> edgesAlong;
    // The changes in the row read last, as positions on the page.
    std::vector<uint32_t> changes;
    size_t count = 0;
    // Both vectors are slightly longer than a line, since pixels are processed in fours.
    std::vector<int32_t> steps;
    std::vector<uint8_t> grays;
    bool isEmpty = true;
};

} // namespace scans
