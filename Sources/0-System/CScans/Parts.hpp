#pragma once
#include "Resample.hpp"
#include <algorithm>
#include <cmath>

namespace scans {

// Positions are whole numbers of parts of a pixel, so that the shares of a pixel add up exactly.
inline constexpr int partBits = 12;
inline constexpr uint32_t parts = 1u << partBits;

inline uint32_t inParts(double position) { return static_cast<uint32_t>(std::llround(position * parts)); }

/// The two source pixels around a pixel of the page, and how near the page's pixel is to the second one.
struct Between {
    uint32_t first;
    double share;
};

inline Between between(const Axis &axis, int index)
{
    const double place = std::clamp((index + 0.5 - axis.start) / axis.step - 0.5, 0.0, double(axis.source - 1));
    const double first = std::floor(place);
    return {static_cast<uint32_t>(first), place - first};
}

/// A position on the page, moved into the visible part of the image if it is outside, in parts of a pixel.
inline uint32_t seen(const Axis &axis, double place) { return inParts(std::clamp(place, axis.low, axis.high)); }

/// The positions on the page where each source pixel begins to count, and where the last one ends, in parts.
///
/// The distance between two edges is what a source pixel adds to the pixels of the page. For means, that is the area that it
/// covers. Otherwise, each pixel of the page lies between two source pixels, and is divided by how near it is to either of them.
inline std::vector<uint32_t> edges(const Axis &axis)
{
    std::vector<uint32_t> edges(static_cast<size_t>(axis.source) + 1, seen(axis, axis.high));
    if (axis.isMean) {
        for (int index = 0; index <= axis.source; ++index) {
            edges[static_cast<size_t>(index)] = seen(axis, axis.start + index * axis.step);
        }
        return edges;
    }
    size_t next = 0;
    for (int index = 0; index < axis.target; ++index) {
        const uint32_t begin = seen(axis, index), end = seen(axis, index + 1);
        if (begin == end) {
            continue;
        }
        const Between place = between(axis, index);
        for (; next <= place.first; ++next) {
            edges[next] = begin;
        }
        edges[place.first + 1] = end - static_cast<uint32_t>(std::lround((end - begin) * place.share));
        next = std::max(next, size_t(place.first) + 2);
    }
    return edges;
}

} // namespace scans
