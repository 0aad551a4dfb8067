#include "FaxRows.hpp"
#include <algorithm>
#include <cstring>

namespace scans {
namespace {

// How many zeros follow the data: more than a row can read beyond its end.
constexpr size_t zerosBehind = 16;
// A row can change at each column, and twice at its end.
constexpr size_t changesBeside = 2;
// The number of entries before a row's first change. If white is the ink, the first run of ink may begin there.
constexpr size_t beginsOfRow = 1;
// The entries after a row's last change, since the decoder looks a few places ahead.
constexpr size_t endsOfRow = 4;
// The length of an end-of-line code: eleven zeros and a one.
constexpr int endOfLineBits = 12;

} // namespace

FaxRows::FaxRows(const FaxForm &givenForm, std::vector<uint8_t> data, bool blackIsInk, bool missingIsInk)
    : form(givenForm), blackIsInk(blackIsInk), missingIsInk(missingIsInk), bytes(std::move(data)), bitCount(bytes.size() * 8),
      former(static_cast<size_t>(form.columns) + beginsOfRow + changesBeside + endsOfRow), current(former.size()), wholeRow {0, static_cast<uint32_t>(form.columns)}
{
    bytes.resize(bytes.size() + zerosBehind);
    // The row before the first one counts as white.
    finish(&current[beginsOfRow]);
    fill();
    if (!begin()) {
        state = Got::failure;
    }
}

/// Makes sure that the buffer contains at least 32 bits.
inline void FaxRows::fill()
{
    if (buffered > 32) {
        return;
    }
    uint32_t word = 0;
    if (next + 4 <= bytes.size()) {
        memcpy(&word, bytes.data() + next, 4);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        word = __builtin_bswap32(word);
#endif
    }
    buffer |= uint64_t(word) << (32 - buffered);
    buffered += 32;
    next += 4;
}

inline void FaxRows::skip(int count)
{
    buffer <<= count;
    buffered -= count;
}

/// Skips zeros and an end-of-line code, if there is one; returns whether there was.
bool FaxRows::skipEndOfLine()
{
    fill();
    if (peek(endOfLineBits - 1) != 0) {
        return false;
    }
    while (!isOver() && peek(1) == 0) {
        skip(1);
        fill();
    }
    if (isOver()) {
        return false;
    }
    skip(1);
    fill();
    return true;
}

bool FaxRows::begin()
{
    if (skipEndOfLine()) {
        // Data that begins with an end-of-line code has one after each row.
        form.endOfLine = true;
    }
    isNextFlat = form.k >= 0;
    if (form.k > 0) {
        isNextFlat = peek(1) == 1;
        skip(1);
    }
    return form.columns > 0;
}

Got FaxRows::read(Ink &ink)
{
    ink = {};
    if (state == Got::row) {
        current.swap(former);
        if (!(isNextFlat ? readOnItsOwn() : readFromFormer()) || position() > bitCount) {
            state = Got::failure;
        }
    }
    if (state != Got::row) {
        if (missingIsInk) {
            ink = {wholeRow.data(), wholeRow.size()};
        }
        return state;
    }
    const uint32_t *const begin = &current[beginsOfRow];
    const uint32_t *const first = blackIsInk ? begin : *begin == 0 ? begin + 1 : begin - 1;
    const auto count = static_cast<size_t>(end - first);
    // Include the row's end if ink reaches it.
    ink = {first, count + count % 2};
    if (!goOn()) {
        // This row is complete, but the data after it is invalid.
        state = Got::failure;
    }
    return Got::row;
}

/// The length of the next run; -1 if the next bits are not the code of a run, or if the run is longer than a row.
inline int FaxRows::run(bool isBlack)
{
    int total = 0;
    for (;;) {
        fill();
        const FaxRun run = isBlack ? codes.black[peek(FaxCodes::blackBits)] : codes.white[peek(FaxCodes::whiteBits)];
        skip(run.length);
        total += run.pixels;
        if (run.length == 0 || total > form.columns) {
            return -1;
        }
        if (run.pixels < 64) {
            return total;
        }
    }
}

/// Reads a row that is stored as runs, independently of the row before.
bool FaxRows::readOnItsOwn()
{
    const int columns = form.columns;
    uint32_t *const begin = &current[beginsOfRow];
    uint32_t *change = begin;
    int place = 0;
    bool isBlack = false;
    while (place < columns) {
        const int length = run(isBlack);
        // Only a row that begins with black has a run of length zero.
        if (length < 0 || (length == 0 && (place > 0 || isBlack)) || place + length > columns) {
            return false;
        }
        place += length;
        *change++ = static_cast<uint32_t>(place);
        isBlack = !isBlack;
    }
    finish(change);
    return true;
}

/// Reads a row that is stored as the differences between its changes and those of the row before.
bool FaxRows::readFromFormer()
{
    const int columns = form.columns;
    uint32_t *const begin = &current[beginsOfRow];
    uint32_t *change = begin;
    // The next change of the former row from this row's colour to the other.
    const uint32_t *const first = &former[beginsOfRow];
    const uint32_t *above = first;
    int place = 0;
    bool isBlack = false;
    const auto catchUp = [&] {
        while (static_cast<int>(*above) <= place && static_cast<int>(*above) < columns) {
            above += 2;
        }
    };
    while (place < columns) {
        fill();
        const FaxMode mode = codes.modes[peek(FaxCodes::modeBits)];
        skip(mode.length);
        switch (mode.kind) {
        case FaxMode::vertical: {
            const int to = static_cast<int>(*above) + mode.offset;
            const bool isFirst = to == 0 && change == begin;
            if ((to <= place && !isFirst) || to > columns) {
                return false;
            }
            place = to;
            *change++ = static_cast<uint32_t>(to);
            isBlack = !isBlack;
            if (to < columns) {
                above += mode.offset < 0 && above > first ? -1 : 1;
                catchUp();
            }
            break;
        }
        case FaxMode::horizontal: {
            const int length = run(isBlack);
            const int second = length < 0 ? -1 : run(!isBlack);
            const int to = place + length, then = to + second;
            const bool isFirst = to == 0 && change == begin;
            if (second < 0 || (length == 0 && !isFirst) || (second == 0 && to < columns) || then > columns) {
                return false;
            }
            *change++ = static_cast<uint32_t>(to);
            *change++ = static_cast<uint32_t>(then);
            place = then;
            catchUp();
            break;
        }
        case FaxMode::pass:
            place = static_cast<int>(above[1]);
            if (place < columns) {
                above += 2;
            }
            break;
        case FaxMode::none: return false;
        }
    }
    finish(change);
    return true;
}

/// Completes a row: writes the row's end into the entries from `behind` on, and sets `end` after the last change that is before the row's
/// end.
void FaxRows::finish(uint32_t *behind)
{
    const auto columns = static_cast<uint32_t>(form.columns);
    std::fill_n(behind, endsOfRow, columns);
    end = behind;
    while (end > &current[beginsOfRow] && end[-1] == columns) {
        --end;
    }
}

/// Skips the codes between two rows, and detects the end of the rows. Returns false if the data is invalid.
bool FaxRows::goOn()
{
    row += 1;
    if (!form.endOfBlock && row == form.rows) {
        state = Got::end;
        return true;
    }
    bool hasEndOfLine = false;
    if (form.endOfLine || !form.byteAlign) {
        hasEndOfLine = skipEndOfLine();
        if (form.endOfLine && !hasEndOfLine && !isOver()) {
            return false;
        }
    }
    if (form.byteAlign && !hasEndOfLine) {
        skip(buffered % 8);
        fill();
    }
    if (isOver()) {
        state = Got::end;
        return true;
    }
    if (form.k > 0) {
        isNextFlat = peek(1) == 1;
        skip(1);
        fill();
    }
    // Two end-of-line codes in succession mark the end of all rows.
    constexpr uint32_t mark = 1, two = mark << endOfLineBits | mark;
    if (form.endOfBlock && hasEndOfLine && peek(endOfLineBits) == mark) {
        state = Got::end;
    }
    if (form.endOfBlock && form.byteAlign && !form.endOfLine && peek(2 * endOfLineBits) == two) {
        state = Got::end;
    }
    return true;
}

} // namespace scans
