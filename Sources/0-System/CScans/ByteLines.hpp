#pragma once
#include "Taps.hpp"
#include <array>

namespace scans {

/// Sums rows of bytes with one or more channels per pixel. First, the rows of a line are added up, in the same way for all pixels; then
/// each pixel of the line is made from the few source pixels that it covers (`Taps`).
template <size_t channels> class ByteLines {
public:
    using Pixel = typename Taps<channels>::Pixel;

    /// `darkness` gives the darkness of each byte; null if a byte is the amount of white.
    ByteLines(const Axis &along, const uint8_t *darkness)
        : count(static_cast<size_t>(along.source) * channels), darkness(darkness), taps(along), totals(count, 0),
          sums(count + taps.beyond() * channels, 0)
    {
        for (auto &row : rows) {
            row.resize(count);
        }
    }

    bool isBlank() const { return isNewestBlank; }

    Got readRow(Rows &source)
    {
        // Only pending rows must not be overwritten, and blank rows are never pending.
        if (pending > 0 && shares[pending - 1].row == rows[newest].data()) {
            newest = (newest + 1) % rows.size();
        }
        uint8_t *const row = rows[newest].data();
        const Got got = source.read(row, count);
        isNewestBlank = darkness == nullptr ? invert(row, count) : lookUp(row, count, darkness);
        return got;
    }

    void add(uint32_t weight)
    {
        if (isNewestBlank) {
            return;
        }
        if (pending == most) {
            const Weighted<most> weighted(shares);
            uint32_t *const total = totals.data();
            for (size_t x = 0, end = count; x < end; ++x) {
                total[x] += weighted[x];
            }
            hasTotals = true;
            pending = 0;
        }
        shares[pending] = {rows[newest].data(), static_cast<uint16_t>(weight)};
        pending += 1;
    }

    void finish(Pixel *line)
    {
        if (pending == 0) {
            memset(line, 0, taps.target() * sizeof *line);
            return;
        }
        if (hasTotals || pending == 3) {
            sumUp<3>();
        } else if (pending == 2) {
            sumUp<2>();
        } else {
            sumUp<1>();
        }
        taps.apply(sums.data(), line);
        pending = 0;
    }

private:
    struct Share {
        const uint8_t *row;
        uint16_t weight;
    };
    // This many rows are added up at once. If the page is not much smaller than its scan, a line has no more; otherwise, earlier rows go
    // to `totals`.
    static constexpr size_t most = 3;

    const size_t count;
    const uint8_t *const darkness;
    const Taps<channels> taps;
    // One more than can be pending: the newest row may be the last of one line and the first of the next.
    std::array<std::vector<uint8_t>, most + 1> rows;
    size_t newest = 0;
    bool isNewestBlank = true;
    std::array<Share, most> shares {};
    size_t pending = 0;
    // The sum of the rows that are no longer pending.
    std::vector<uint32_t> totals;
    bool hasTotals = false;
    std::vector<int16_t> sums;

    /// Some rows with their weights, copied to show the compiler that writing sums does not change them.
    template <size_t rows> class Weighted {
    public:
        explicit Weighted(const std::array<Share, most> &shares) { std::copy_n(shares.begin(), rows, copies); }

        uint32_t operator[](size_t x) const
        {
            uint32_t total = 0;
            for (const Share &share : copies) {
                total += uint32_t(share.row[x]) * share.weight;
            }
            return total;
        }

    private:
        Share copies[rows];
    };

    /// Turns light into darkness; returns whether the row has no darkness.
    static bool invert(uint8_t *row, size_t count)
    {
        uint8_t any = 0;
        for (size_t x = 0; x < count; ++x) {
            row[x] = static_cast<uint8_t>(~row[x]);
            any |= row[x];
        }
        return any == 0;
    }

    static bool lookUp(uint8_t *row, size_t count, const uint8_t *darkness)
    {
        uint8_t any = 0;
        for (size_t x = 0; x < count; ++x) {
            row[x] = darkness[row[x]];
            any |= row[x];
        }
        return any == 0;
    }

    template <size_t rows> void sumUp()
    {
        constexpr int bits = partBits - sumBits;
        constexpr uint32_t half = 1u << (bits - 1);
        // Rows that are not pending have no weight.
        for (size_t index = pending; index < rows; ++index) {
            shares[index].weight = 0;
        }
        const Weighted<rows> weighted(shares);
        int16_t *const sum = sums.data();
        if (!hasTotals) {
            for (size_t x = 0, end = count; x < end; ++x) {
                sum[x] = static_cast<int16_t>((weighted[x] + half) >> bits);
            }
            return;
        }
        const uint32_t *const total = totals.data();
        for (size_t x = 0, end = count; x < end; ++x) {
            sum[x] = static_cast<int16_t>((total[x] + weighted[x] + half) >> bits);
        }
        memset(totals.data(), 0, totals.size() * sizeof totals[0]);
        hasTotals = false;
    }
};

} // namespace scans
