#include "Interpolate.hpp"
#include "Parts.hpp"
#include <cstring>

namespace scans {
namespace {

/// The two source pixels around a position, and the share of the second one in 256ths.
struct Shares {
    uint32_t first;
    uint16_t share;
};

Shares shares(const Axis &axis, int index)
{
    const Between place = between(axis, index);
    return {place.first, static_cast<uint16_t>(std::lround(place.share * 256))};
}

/// How much of a pixel of the page the image covers, in parts.
uint32_t cover(const Axis &axis, int index) { return seen(axis, index + 1) - seen(axis, index); }

} // namespace

bool interpolate(Rows &rows, const Placement &placement, const uint8_t darkness[256], LineWriter<uint8_t> &writer)
{
    const size_t source = static_cast<size_t>(placement.along.source);
    const size_t target = static_cast<size_t>(placement.along.target);
    std::vector<Shares> placesAlong(target);
    std::vector<uint32_t> coversAlong(target);
    for (size_t x = 0; x < target; ++x) {
        placesAlong[x] = shares(placement.along, static_cast<int>(x));
        coversAlong[x] = cover(placement.along, static_cast<int>(x));
    }
    // One extra pixel, for the position after the last one.
    std::vector<uint8_t> bytes(source + 1);
    std::vector<uint16_t> first(target), second(target);
    int have = -1;
    const auto next = [&] {
        if (rows.read(bytes.data(), source) == Got::failure) {
            return false;
        }
        for (size_t x = 0; x < source; ++x) {
            bytes[x] = darkness[bytes[x]];
        }
        bytes[source] = bytes[source - 1];
        first.swap(second);
        for (size_t x = 0; x < target; ++x) {
            const Shares place = placesAlong[x];
            second[x] = static_cast<uint16_t>(bytes[place.first] * (256 - place.share) + bytes[place.first + 1] * place.share);
        }
        have += 1;
        return true;
    };
    for (int index = 0; index < placement.across.target; ++index) {
        uint8_t *const line = writer.line();
        const uint32_t coverAcross = cover(placement.across, index);
        if (coverAcross == 0) {
            memset(line, 0, target);
            writer.put();
            continue;
        }
        const Shares place = shares(placement.across, index);
        // `second` is the row after the position, or the last row again.
        const int wanted = std::min(static_cast<int>(place.first) + 1, placement.across.source - 1);
        while (have < wanted) {
            if (!next()) {
                return false;
            }
        }
        const bool isLast = static_cast<int>(place.first) == have;
        const uint32_t share = isLast ? 256 : place.share;
        for (size_t x = 0; x < target; ++x) {
            line[x] = static_cast<uint8_t>((first[x] * (256 - share) + second[x] * share + 0x8000) >> 16);
        }
        for (size_t x = 0; x < target; ++x) {
            const uint32_t covered = coversAlong[x] * coverAcross;
            if (covered != parts * parts) {
                line[x] = static_cast<uint8_t>((uint64_t(line[x]) * covered + (parts * parts) / 2) >> (2 * partBits));
            }
        }
        writer.put();
    }
    return true;
}

} // namespace scans
