#include "Placement.hpp"
#include <algorithm>
#include <cmath>

namespace scans {
namespace {

/// One axis of a page with `target` pixels: the image reaches from `first` to `second`, and is visible from `low` to `high`.
Axis axis(int source, int target, double first, double second, double low, double high)
{
    Axis axis;
    axis.source = source;
    axis.target = target;
    axis.isFlipped = second < first;
    axis.start = axis.isFlipped ? target - first : first;
    const double length = std::abs(second - first);
    axis.step = length / source;
    // Limit the visible part to the page, wherever the image is.
    axis.low = std::clamp(std::max(axis.isFlipped ? target - high : low, axis.start), 0.0, double(target));
    axis.high = std::clamp(std::min(axis.isFlipped ? target - low : high, axis.start + length), axis.low, double(target));
    // Up to this step, cairo takes the mean; above it, cairo uses the two nearest pixels.
    axis.isMean = axis.step <= 0.75;
    return axis;
}

} // namespace

bool place(const Shown &image, const Paper &paper, Placement &placement)
{
    const double *const m = image.matrix;
    const double across = paper.across, down = paper.down;
    const double a = m[0] * across, b = m[1] * down, c = m[2] * across, d = m[3] * down, x = m[4] * across, y = m[5] * down;
    // Far off the page, an image's position could not be expressed in parts of a pixel.
    for (const double value : {a, b, c, d, x, y}) {
        if (!(std::abs(value) < 1e6)) {
            return false;
        }
    }
    const double left = image.clip[0] * across, top = image.clip[1] * down;
    const double right = image.clip[2] * across, bottom = image.clip[3] * down;
    for (const double value : {left, top, right, bottom}) {
        if (!std::isfinite(value)) {
            return false;
        }
    }
    constexpr double unseen = 0.02;
    // The first row is at the top of the unit square, where the second coordinate is 1.
    if (std::abs(b) < unseen && std::abs(c) < unseen) {
        placement.isTransposed = false;
        placement.along = axis(image.width, paper.width, x, x + a, left, right);
        placement.across = axis(image.height, paper.height, y + d, y, top, bottom);
    } else if (std::abs(a) < unseen && std::abs(d) < unseen) {
        placement.isTransposed = true;
        placement.along = axis(image.width, paper.height, y, y + b, top, bottom);
        placement.across = axis(image.height, paper.width, x + c, x, left, right);
    } else {
        return false;
    }
    return placement.along.step > 0 && placement.across.step > 0;
}

} // namespace scans
