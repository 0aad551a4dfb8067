#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

/// Draws an image's rows as pixels of a page; independent of PDFs.
namespace scans {

/// Where an image lies along one axis, in pixels of the page, counted from the end with the image's first column or row.
struct Axis {
    /// The number of the image's pixels along this axis; `target` is the number of the page's pixels.
    int source = 0;
    int target = 0;
    /// Where the first source pixel begins; `step` is the length of each source pixel.
    double start = 0;
    double step = 0;
    /// The part of the image that is neither clipped nor off the page: from `low` to `high`.
    double low = 0;
    double high = 0;
    /// Whether the page's pixels are counted from the other end.
    bool isFlipped = false;
    /// Whether a pixel of the page is the mean of the area that it covers; otherwise it lies between two source pixels.
    bool isMean = true;

    bool isSmaller() const { return step <= 1; }
};

struct Placement {
    /// `along` is the axis of an image's rows; `across` leads from row to row.
    Axis along;
    Axis across;
    /// Whether an image's row is a column of the page.
    bool isTransposed = false;
};

/// The result of reading a row.
enum class Got {
    row,
    /// There are no more rows, or the row is incomplete: missing data is replaced by ones.
    end,
    /// The rows cannot be read in this way: discard all that was drawn from them.
    failure,
};

/// An image's packed rows, in order.
class Rows {
public:
    virtual ~Rows() = default;
    /// Writes the next row; missing data is replaced by ones.
    virtual Got read(uint8_t *bytes, size_t count) = 0;
};

/// The columns where ink begins and ends, alternating and in ascending order. Ink that reaches the end of a row ends there.
struct Ink {
    const uint32_t *changes;
    size_t count;
};

/// A bilevel image's rows, in order, as changes between paper and ink.
class InkRows {
public:
    virtual ~InkRows() = default;
    /// Returns the next row, which is valid until the next call.
    virtual Got read(Ink &ink) = 0;
};

struct Canvas {
    uint32_t *words;
    size_t stride;
    int width;
    int height;
};

/// Draws ink of this darkness; the covered share of a pixel of the page determines how dark the pixel is. False if reading failed.
bool drawInk(InkRows &rows, const Placement &placement, uint8_t darkness, const Canvas &canvas);

/// Draws pixels of eight bits, each of which maps to a darkness: at a smaller size as the mean of the area, otherwise by interpolation.
/// False if reading failed.
bool drawGray(Rows &rows, const Placement &placement, const uint8_t darkness[256], const Canvas &canvas);

/// Draws pixels with eight bits each of blue, green and red; only at a smaller size. False if reading failed.
bool drawColors(Rows &rows, const Placement &placement, const Canvas &canvas);

} // namespace scans
