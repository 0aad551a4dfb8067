#pragma once
#include "FaxCodes.hpp"
#include "Resample.hpp"

namespace scans {

/// How CCITT fax data is to be read, in a PDF's words.
struct FaxForm {
    /// Below 0 Group 4; 0 Group 3; above it Group 3 with rows that go on from the row before.
    int k = 0;
    int columns = 0;
    /// How many rows there are where no end of them is marked.
    int rows = 0;
    bool endOfLine = false;
    bool byteAlign = false;
    bool endOfBlock = true;
};

/// Reads CCITT fax data as what it is, changes of colour, without ever making pixels of them.
///
/// Everything that is not as it should be is a failure: who reads it otherwise has rules of his own for going on after it.
class FaxRows final : public InkRows {
public:
    /// `missingIsInk` is what is to be drawn where rows are missing.
    FaxRows(const FaxForm &form, std::vector<uint8_t> bytes, bool blackIsInk, bool missingIsInk);

    Got read(Ink &ink) override;

private:
    const FaxCodes &codes = FaxCodes::all();
    FaxForm form;
    const bool blackIsInk;
    const bool missingIsInk;
    // Zeros follow, which are no code.
    std::vector<uint8_t> bytes;
    size_t bitCount;
    // The row before, and the one that is read: a 0, where black begins and ends in turn, and then the row's end, some times.
    std::vector<uint32_t> former;
    std::vector<uint32_t> current;
    const uint32_t *end = nullptr;
    const std::array<uint32_t, 2> wholeRow;
    int row = 0;
    bool isNextFlat = false;
    Got state = Got::row;

    // The bits that come next, from the highest on, and how many they are; `next` are the bytes after them.
    uint64_t buffer = 0;
    int buffered = 0;
    size_t next = 0;

    void fill();
    uint32_t peek(int count) const { return static_cast<uint32_t>(buffer >> (64 - count)); }
    void skip(int count);
    size_t position() const { return next * 8 - static_cast<size_t>(buffered); }
    bool isOver() const { return position() >= bitCount; }

    bool begin();
    bool readOnItsOwn();
    bool readFromFormer();
    bool goOn();
    bool skipEndOfLine();
    int run(bool isBlack);
    void finish(uint32_t *behind);
};

} // namespace scans
