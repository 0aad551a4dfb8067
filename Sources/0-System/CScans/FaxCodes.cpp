#include "FaxCodes.hpp"

namespace scans {
namespace {

/// A code's length and bits.
struct Code {
    int length;
    uint32_t bits;
};

// ITU-T T.4, tables 2 and 3: runs of 0 to 63; of 64, 128 and so on up to 1728; and longer ones, which both colours share.
constexpr Code shortWhite[] = {
    {8, 0x35}, {6, 0x07}, {4, 0x07}, {4, 0x08}, {4, 0x0b}, {4, 0x0c}, {4, 0x0e}, {4, 0x0f}, {5, 0x13}, {5, 0x14},
    {5, 0x07}, {5, 0x08}, {6, 0x08}, {6, 0x03}, {6, 0x34}, {6, 0x35}, {6, 0x2a}, {6, 0x2b}, {7, 0x27}, {7, 0x0c},
    {7, 0x08}, {7, 0x17}, {7, 0x03}, {7, 0x04}, {7, 0x28}, {7, 0x2b}, {7, 0x13}, {7, 0x24}, {7, 0x18}, {8, 0x02},
    {8, 0x03}, {8, 0x1a}, {8, 0x1b}, {8, 0x12}, {8, 0x13}, {8, 0x14}, {8, 0x15}, {8, 0x16}, {8, 0x17}, {8, 0x28},
    {8, 0x29}, {8, 0x2a}, {8, 0x2b}, {8, 0x2c}, {8, 0x2d}, {8, 0x04}, {8, 0x05}, {8, 0x0a}, {8, 0x0b}, {8, 0x52},
    {8, 0x53}, {8, 0x54}, {8, 0x55}, {8, 0x24}, {8, 0x25}, {8, 0x58}, {8, 0x59}, {8, 0x5a}, {8, 0x5b}, {8, 0x4a},
    {8, 0x4b}, {8, 0x32}, {8, 0x33}, {8, 0x34},
};
constexpr Code shortBlack[] = {
    {10, 0x37}, {3, 0x02}, {2, 0x03}, {2, 0x02}, {3, 0x03}, {4, 0x03}, {4, 0x02}, {5, 0x03}, {6, 0x05}, {6, 0x04},
    {7, 0x04}, {7, 0x05}, {7, 0x07}, {8, 0x04}, {8, 0x07}, {9, 0x18}, {10, 0x17}, {10, 0x18}, {10, 0x08}, {11, 0x67},
    {11, 0x68}, {11, 0x6c}, {11, 0x37}, {11, 0x28}, {11, 0x17}, {11, 0x18}, {12, 0xca}, {12, 0xcb}, {12, 0xcc}, {12, 0xcd},
    {12, 0x68}, {12, 0x69}, {12, 0x6a}, {12, 0x6b}, {12, 0xd2}, {12, 0xd3}, {12, 0xd4}, {12, 0xd5}, {12, 0xd6}, {12, 0xd7},
    {12, 0x6c}, {12, 0x6d}, {12, 0xda}, {12, 0xdb}, {12, 0x54}, {12, 0x55}, {12, 0x56}, {12, 0x57}, {12, 0x64}, {12, 0x65},
    {12, 0x52}, {12, 0x53}, {12, 0x24}, {12, 0x37}, {12, 0x38}, {12, 0x27}, {12, 0x28}, {12, 0x58}, {12, 0x59}, {12, 0x2b},
    {12, 0x2c}, {12, 0x5a}, {12, 0x66}, {12, 0x67},
};
constexpr Code longWhite[] = {
    {5, 0x1b}, {5, 0x12}, {6, 0x17}, {7, 0x37}, {8, 0x36}, {8, 0x37}, {8, 0x64}, {8, 0x65}, {8, 0x68}, {8, 0x67},
    {9, 0xcc}, {9, 0xcd}, {9, 0xd2}, {9, 0xd3}, {9, 0xd4}, {9, 0xd5}, {9, 0xd6}, {9, 0xd7}, {9, 0xd8}, {9, 0xd9},
    {9, 0xda}, {9, 0xdb}, {9, 0x98}, {9, 0x99}, {9, 0x9a}, {6, 0x18}, {9, 0x9b},
};
constexpr Code longBlack[] = {
    {10, 0x0f}, {12, 0xc8}, {12, 0xc9}, {12, 0x5b}, {12, 0x33}, {12, 0x34}, {12, 0x35}, {13, 0x6c}, {13, 0x6d}, {13, 0x4a},
    {13, 0x4b}, {13, 0x4c}, {13, 0x4d}, {13, 0x72}, {13, 0x73}, {13, 0x74}, {13, 0x75}, {13, 0x76}, {13, 0x77}, {13, 0x52},
    {13, 0x53}, {13, 0x54}, {13, 0x55}, {13, 0x5a}, {13, 0x5b}, {13, 0x64}, {13, 0x65},
};
constexpr Code longest[] = {
    {11, 0x08}, {11, 0x0c}, {11, 0x0d}, {12, 0x12}, {12, 0x13}, {12, 0x14}, {12, 0x15}, {12, 0x16}, {12, 0x17}, {12, 0x1c},
    {12, 0x1d}, {12, 0x1e}, {12, 0x1f},
};

template <class Entry, size_t count> void enter(std::array<Entry, count> &table, Code code, Entry entry)
{
    // An entry for every sequence of bits that can follow the code.
    const size_t span = count >> code.length;
    for (size_t index = 0; index < span; ++index) {
        table[code.bits * span + index] = entry;
    }
}

template <size_t count> void enter(std::array<FaxRun, count> &table, const Code *codes, size_t number, size_t first, size_t step)
{
    for (size_t index = 0; index < number; ++index) {
        const auto length = static_cast<uint8_t>(codes[index].length);
        enter(table, codes[index], FaxRun {static_cast<uint16_t>(first + index * step), length});
    }
}

} // namespace

FaxCodes::FaxCodes()
{
    constexpr size_t step = 64;
    enter(white, shortWhite, std::size(shortWhite), 0, 1);
    enter(white, longWhite, std::size(longWhite), step, step);
    enter(white, longest, std::size(longest), step * (1 + std::size(longWhite)), step);
    enter(black, shortBlack, std::size(shortBlack), 0, 1);
    enter(black, longBlack, std::size(longBlack), step, step);
    enter(black, longest, std::size(longest), step * (1 + std::size(longBlack)), step);
    // ITU-T T.4, table 4.
    enter(modes, {4, 1}, FaxMode {FaxMode::pass, 0, 4});
    enter(modes, {3, 1}, FaxMode {FaxMode::horizontal, 0, 3});
    enter(modes, {1, 1}, FaxMode {FaxMode::vertical, 0, 1});
    enter(modes, {3, 3}, FaxMode {FaxMode::vertical, 1, 3});
    enter(modes, {3, 2}, FaxMode {FaxMode::vertical, -1, 3});
    enter(modes, {6, 3}, FaxMode {FaxMode::vertical, 2, 6});
    enter(modes, {6, 2}, FaxMode {FaxMode::vertical, -2, 6});
    enter(modes, {7, 3}, FaxMode {FaxMode::vertical, 3, 7});
    enter(modes, {7, 2}, FaxMode {FaxMode::vertical, -3, 7});
}

const FaxCodes &FaxCodes::all()
{
    static const FaxCodes codes;
    return codes;
}

} // namespace scans
