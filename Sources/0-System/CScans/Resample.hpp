#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

/// An image's way from its rows to the pixels of a page; knows nothing about PDFs.
namespace scans {

/// Where an image lies along one axis, counted in pixels of the page from the end where its first column or row is.
struct Axis {
    /// The number of the image's pixels along this axis, and of the page's.
    int source = 0;
    int target = 0;
    /// Where the first source pixel begins, and how long each one is.
    double start = 0;
    double step = 0;
    /// What is visible of it: neither clipped away nor beyond its end.
    double low = 0;
    double high = 0;
    /// Whether the page counts from the other end.
    bool isFlipped = false;
    /// Whether a pixel of the page is the mean of the area that it covers; otherwise it lies between two source pixels.
    bool isMean = true;

    bool isSmaller() const { return step <= 1; }
};

struct Placement {
    /// Along an image's row, and from row to row.
    Axis along;
    Axis across;
    /// Whether an image's row is a column of the page.
    bool isTransposed = false;
};

/// The result of reading a row.
enum class Got {
    row,
    /// There are no more rows, or the row is incomplete: what is missing is filled with ones.
    end,
    /// The rows cannot be read in this way: nothing that was drawn of them counts.
    failure,
};

/// An image's packed rows, from the first one on.
class Rows {
public:
    virtual ~Rows() = default;
    /// Fills in the next row; what is missing of it with ones.
    virtual Got read(uint8_t *bytes, size_t count) = 0;
};

/// Where ink begins and ends, alternating and in ascending order; ink up to the end of a row ends there.
struct Ink {
    const uint32_t *changes;
    size_t count;
};

/// A bilevel image's rows, from the first one on, as changes between paper and ink.
class InkRows {
public:
    virtual ~InkRows() = default;
    /// Gives the next row, which is valid until the one after it is read.
    virtual Got read(Ink &ink) = 0;
};

struct Canvas {
    uint32_t *words;
    size_t stride;
    int width;
    int height;
};

/// Draws ink with a darkness, each pixel of the page by the share of it that is covered; false if reading failed.
bool drawInk(InkRows &rows, const Placement &placement, uint8_t darkness, const Canvas &canvas);

/// Draws pixels of eight bits, each of which means a darkness: at a smaller size by the mean of the area, otherwise by interpolation.
bool drawGray(Rows &rows, const Placement &placement, const uint8_t darkness[256], const Canvas &canvas);

/// Draws pixels with eight bits each of blue, green and red; only at a smaller size.
bool drawColors(Rows &rows, const Placement &placement, const Canvas &canvas);

} // namespace scans
