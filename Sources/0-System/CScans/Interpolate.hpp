#pragma once
#include "LineWriter.hpp"

namespace scans {

/// Draws an image with fewer pixels than the page, interpolating between its pixels as cairo does; false if reading failed.
bool interpolate(Rows &rows, const Placement &placement, const uint8_t darkness[256], LineWriter<uint8_t> &writer);

} // namespace scans
