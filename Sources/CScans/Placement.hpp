#pragma once
#include "Resample.hpp"

namespace scans {

/// An image as a page shows it.
struct Shown {
    int width = 0;
    int height = 0;
    /// From the unit square to points of the page, its first row on top.
    double matrix[6] = {};
    /// What is not clipped away, in points.
    double clip[4] = {};
};

/// A page's pixels, and how many of them make a point.
struct Paper {
    int width = 0;
    int height = 0;
    double across = 0;
    double down = 0;
};

/// Where an image lies on a page of pixels; false if it is turned by less than a right angle, or has no size.
bool place(const Shown &image, const Paper &paper, Placement &placement);

} // namespace scans
