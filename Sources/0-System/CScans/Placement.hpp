#pragma once
#include "Resample.hpp"

namespace scans {

/// An image with its place on a page.
struct Shown {
    int width = 0;
    int height = 0;
    /// Transforms the unit square, with the first row at the top, to points of the page.
    double matrix[6] = {};
    /// The clip's left, top, right and bottom, in points.
    double clip[4] = {};
};

/// A page's size in pixels, and how many pixels make a point in each direction.
struct Paper {
    int width = 0;
    int height = 0;
    double across = 0;
    double down = 0;
};

/// Finds an image's place on a page of pixels. False if the image is turned by other than right angles, has no size, or is far off the
/// page.
bool place(const Shown &image, const Paper &paper, Placement &placement);

} // namespace scans
