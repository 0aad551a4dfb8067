#pragma once
#include "Resample.hpp"
#include <algorithm>
#include <cmath>

namespace scans {

// Positions are counted in whole parts of a pixel, so that shares of one pixel add up to it exactly.
inline constexpr int partBits = 12;
inline constexpr uint32_t parts = 1u << partBits;

inline uint32_t inParts(double position) { return static_cast<uint32_t>(std::llround(position * parts)); }

/// Where a source pixel begins on the page, as far as it is to be seen.
inline uint32_t edge(const Axis &axis, int index)
{
    return inParts(std::clamp(axis.start + index * axis.step, axis.low, axis.high));
}

} // namespace scans
