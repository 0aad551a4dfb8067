#pragma once
#include "Resample.hpp"

namespace scans {

/// An image as a page shows it.
struct Shown {
    int width = 0;
    int height = 0;
    /// From the unit square to points of the page, with the first row at the top.
    double matrix[6] = {};
    /// What is not clipped away, in points.
    double clip[4] = {};
};

/// A page's size in pixels, and how many of them make a point.
struct Paper {
    int width = 0;
    int height = 0;
    double across = 0;
    double down = 0;
};

/// Finds out where an image lies on a page of pixels; false if it is turned by other than right angles, or has no size.
bool place(const Shown &image, const Paper &paper, Placement &placement);

} // namespace scans
