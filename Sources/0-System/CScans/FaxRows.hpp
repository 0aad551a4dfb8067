#pragma once
#include "FaxCodes.hpp"
#include "Resample.hpp"

namespace scans {

/// The parameters of CCITT fax data, as in PDFs.
struct FaxForm {
    /// Below 0: Group 4; 0: Group 3; above 0: Group 3 with rows that may depend on the row before.
    int k = 0;
    int columns = 0;
    /// The number of rows if their end is not marked.
    int rows = 0;
    bool endOfLine = false;
    bool byteAlign = false;
    bool endOfBlock = true;
};

/// Decodes CCITT fax data into changes of colour, without ever making pixels of them.
///
/// Any irregularity is a failure: other decoders have their own rules for continuing after one.
class FaxRows final : public InkRows {
public:
    /// `missingIsInk` is true if missing rows are drawn as ink.
    FaxRows(const FaxForm &form, std::vector<uint8_t> bytes, bool blackIsInk, bool missingIsInk);

    Got read(Ink &ink) override;

private:
    const FaxCodes &codes = FaxCodes::all();
    FaxForm form;
    const bool blackIsInk;
    const bool missingIsInk;
    // The data, followed by zeros, which form no code.
    std::vector<uint8_t> bytes;
    size_t bitCount;
    // The former row and the row being read: first a 0, then the places where black begins and ends in turn, and then the row's
    // end several times.
    std::vector<uint32_t> former;
    std::vector<uint32_t> current;
    const uint32_t *end = nullptr;
    const std::array<uint32_t, 2> wholeRow;
    int row = 0;
    bool isNextFlat = false;
    Got state = Got::row;

    // The next bits, from the highest down, and how many there are; `next` is the position of the bytes after them.
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
