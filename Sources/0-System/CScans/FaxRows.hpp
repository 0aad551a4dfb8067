#pragma once
#include "FaxCodes.hpp"
#include "Resample.hpp"

namespace scans {

/// How CCITT fax data is to be read, in the terms of PDF.
struct FaxForm {
    /// Below 0: Group 4; 0: Group 3; above 0: Group 3 with rows that continue from the row before.
    int k = 0;
    int columns = 0;
    /// How many rows there are if their end is not marked.
    int rows = 0;
    bool endOfLine = false;
    bool byteAlign = false;
    bool endOfBlock = true;
};

/// Reads CCITT fax data as what it is, changes of colour, without ever making pixels of them.
///
/// Anything that is not as it should be is a failure: other decoders have their own rules for carrying on after it.
class FaxRows final : public InkRows {
public:
    /// `missingIsInk` says whether missing rows are drawn as ink.
    FaxRows(const FaxForm &form, std::vector<uint8_t> bytes, bool blackIsInk, bool missingIsInk);

    Got read(Ink &ink) override;

private:
    const FaxCodes &codes = FaxCodes::all();
    FaxForm form;
    const bool blackIsInk;
    const bool missingIsInk;
    // Followed by zeros, which are not a code.
    std::vector<uint8_t> bytes;
    size_t bitCount;
    // The former row and the one being read: first a 0, then the places where black begins and ends in turn, and then the row's end
    // several times.
    std::vector<uint32_t> former;
    std::vector<uint32_t> current;
    const uint32_t *end = nullptr;
    const std::array<uint32_t, 2> wholeRow;
    int row = 0;
    bool isNextFlat = false;
    Got state = Got::row;

    // The bits that come next, starting with the highest, and how many they are; `next` is the position of the bytes after them.
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
