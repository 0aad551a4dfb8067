#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace scans {

/// The run of pixels of one colour that a code stands for, and the code's length; the length is 0 for bits that are not a code.
struct FaxRun {
    uint16_t pixels = 0;
    uint8_t length = 0;
};

/// How a row continues, relative to the row before it.
struct FaxMode {
    enum Kind : uint8_t { none, pass, horizontal, vertical };
    Kind kind = none;
    int8_t offset = 0;
    uint8_t length = 0;
};

/// The codes of Group 3 and Group 4, indexed by the next bits.
struct FaxCodes {
    static constexpr int whiteBits = 12, blackBits = 13, modeBits = 7;
    std::array<FaxRun, 1 << whiteBits> white {};
    std::array<FaxRun, 1 << blackBits> black {};
    std::array<FaxMode, 1 << modeBits> modes {};

    static const FaxCodes &all();

private:
    FaxCodes();
};

} // namespace scans
