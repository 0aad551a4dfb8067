#pragma once
#include "Resample.hpp"
#include <cstring>

namespace scans {

/// Finds the changes in packed rows of bits.
class PackedInk final : public InkRows {
public:
    PackedInk(Rows &rows, int width, bool inkIsOne)
        : rows(rows), width(static_cast<size_t>(width)), flip(inkIsOne ? 0 : ~uint64_t(0)), bytes((this->width + 7) / 8 + 8)
    {
        changes.reserve(this->width + 1);
    }

    Got read(Ink &ink) override
    {
        const Got got = rows.read(bytes.data(), (width + 7) / 8);
        changes.clear();
        uint64_t before = 0;
        for (size_t start = 0; start < width; start += 64) {
            uint64_t inked = wordAt(bytes.data() + start / 8) ^ flip;
            const size_t left = width - start;
            if (left < 64) {
                inked &= ~uint64_t(0) << (64 - left);
            }
            uint64_t changed = inked ^ (inked >> 1 | before << 63);
            before = inked & 1;
            while (changed != 0) {
                const int bit = __builtin_clzll(changed);
                changes.push_back(static_cast<uint32_t>(start) + static_cast<uint32_t>(bit));
                changed &= ~(uint64_t(1) << 63 >> bit);
            }
        }
        if (changes.size() % 2 != 0) {
            changes.push_back(static_cast<uint32_t>(width));
        }
        ink = {changes.data(), changes.size()};
        return got;
    }

private:
    Rows &rows;
    const size_t width;
    const uint64_t flip;
    std::vector<uint32_t> changes;
    // Slightly longer than a row, since whole words are read.
    std::vector<uint8_t> bytes;

    /// Big-endian, like rows of bits: the first pixel is the highest bit.
    static uint64_t wordAt(const uint8_t *bytes)
    {
        uint64_t word;
        memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        return word;
    }
};

} // namespace scans
