#pragma once
#include <cstddef>
#include <cstdint>

/// An image's way from its rows to the pixels of a page; knows nothing of PDFs.
namespace scans {

/// Where an image lies along one axis, counted in pixels of the page from the end that its first column or row lies at.
struct Axis {
    /// The image's pixels along this axis, and the page's.
    int source = 0;
    int target = 0;
    /// Where the first source pixel begins, and how far each reaches.
    double start = 0;
    double step = 0;
    /// What is not clipped away.
    double low = 0;
    double high = 0;
    /// Whether the page counts from the other end.
    bool isFlipped = false;

    bool isSmaller() const { return step <= 1; }
};

struct Placement {
    /// Along an image's row, and from row to row.
    Axis along;
    Axis across;
    /// Whether an image's row is a column of the page.
    bool isTransposed = false;
};

/// An image's packed rows, from the first one on.
class Rows {
public:
    virtual ~Rows() = default;
    /// Fills in the next row; false when there is none, or not all of it: what is missing is filled with ones.
    virtual bool read(uint8_t *bytes, size_t count) = 0;
};

struct Canvas {
    uint32_t *words;
    size_t stride;
    int width;
    int height;
};

/// Draws one bit a pixel, each pixel of the page by the share of it that ink covers.
void drawBits(Rows &rows, const Placement &placement, bool inkIsOne, uint8_t darkness, const Canvas &canvas);

/// Draws eight bits a pixel, which mean a darkness each: smaller by the mean of the area, larger by interpolation.
void drawBytes(Rows &rows, const Placement &placement, const uint8_t darkness[256], const Canvas &canvas);

} // namespace scans
