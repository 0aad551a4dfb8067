#pragma once
#include "Parts.hpp"
#include <cstring>

namespace scans {

// The bits of a sum of rows before weighting along the line: darkness in parts, reduced to fit into a signed 16-bit integer.
inline constexpr int sumBits = 7;

/// The few source pixels that make up each pixel of a line, with their weights.
template <size_t channels> class Taps {
public:
    /// A byte of gray, or, for three channels, a word of the page that combines them.
    using Pixel = std::conditional_t<channels == 1, uint8_t, uint32_t>;

    explicit Taps(const Axis &axis) : firsts(static_cast<size_t>(axis.target), 0)
    {
        const std::vector<uint32_t> edgesAlong = edges(axis);
        std::vector<uint32_t> counts(firsts.size(), 0);
        const auto eachShare = [&](auto body) {
            for (uint32_t index = 0; index + 1 < edgesAlong.size(); ++index) {
                for (uint32_t start = edgesAlong[index]; start < edgesAlong[index + 1];) {
                    const uint32_t pixel = start >> partBits;
                    const uint32_t end = std::min(edgesAlong[index + 1], (pixel + 1) << partBits);
                    body(pixel, index, end - start);
                    start = end;
                }
            }
        };
        eachShare([&](uint32_t pixel, uint32_t index, uint32_t) {
            if (counts[pixel] == 0) {
                firsts[pixel] = index;
            }
            counts[pixel] = index + 1 - firsts[pixel];
        });
        const size_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
        // Two, four or any number of taps: each case has its own loop.
        count = most <= 2 ? 2 : most <= 4 ? 4 : most;
        weights.resize(firsts.size() * count, 0);
        eachShare([&](uint32_t pixel, uint32_t index, uint32_t weight) {
            weights[pixel * count + index - firsts[pixel]] = static_cast<int16_t>(weight);
        });
    }

    size_t target() const { return firsts.size(); }
    /// How many source pixels beyond the last one are read; they have no weight.
    size_t beyond() const { return count + 1; }

    void apply(const int16_t *sums, Pixel *line) const
    {
        switch (count) {
        case 2: return apply<2>(sums, line);
        case 4: return apply<4>(sums, line);
        default: return apply<0>(sums, line);
        }
    }

private:
    std::vector<uint32_t> firsts;
    size_t count = 0;
    std::vector<int16_t> weights;

    static constexpr int bits = partBits + sumBits;
    static constexpr int32_t half = 1 << (bits - 1);

    using Halves = int16_t __attribute__((vector_size(16)));
    using Words = int32_t __attribute__((vector_size(16)));
    using FourBytes = uint8_t __attribute__((vector_size(4)));

    /// The products of eight pairs of numbers, added in twos; one instruction on most processors.
    static Words sumsOfPairs(Halves one, Halves other)
    {
        const auto even = [](Halves all) { return __builtin_convertvector(__builtin_shufflevector(all, all, 0, 2, 4, 6), Words); };
        const auto odd = [](Halves all) { return __builtin_convertvector(__builtin_shufflevector(all, all, 1, 3, 5, 7), Words); };
        return even(one) * even(other) + odd(one) * odd(other);
    }

    /// Two taps of one channel: four pixels at a time.
    size_t applyPairs(const int16_t *sums, uint8_t *line) const
    {
        const uint32_t *const first = firsts.data();
        const int16_t *const weight = weights.data();
        const size_t end = firsts.size() / 4 * 4;
        for (size_t x = 0; x < end; x += 4) {
            Words loaded;
            for (int lane = 0; lane < 4; ++lane) {
                int32_t pair;
                memcpy(&pair, sums + first[x + static_cast<size_t>(lane)], sizeof pair);
                loaded[lane] = pair;
            }
            Halves pairs, factors;
            memcpy(&pairs, &loaded, sizeof pairs);
            memcpy(&factors, weight + x * 2, sizeof factors);
            const auto bytes = __builtin_convertvector((sumsOfPairs(pairs, factors) + half) >> bits, FourBytes);
            memcpy(line + x, &bytes, sizeof bytes);
        }
        return end;
    }

    /// Two taps of three channels: one pixel at a time, with the next one's first channel as a fourth, which is dropped.
    size_t applyPairs(const int16_t *sums, uint32_t *line) const
    {
        const uint32_t *const first = firsts.data();
        const int16_t *const weight = weights.data();
        const size_t end = firsts.size();
        for (size_t x = 0; x < end; ++x) {
            using Four = int16_t __attribute__((vector_size(8)));
            Four one, other;
            memcpy(&one, sums + first[x] * 3, sizeof one);
            memcpy(&other, sums + first[x] * 3 + 3, sizeof other);
            int32_t factor;
            memcpy(&factor, weight + x * 2, sizeof factor);
            const Words each = {factor, factor, factor, factor};
            Halves factors;
            memcpy(&factors, &each, sizeof factors);
            const Halves pairs = __builtin_shufflevector(one, other, 0, 4, 1, 5, 2, 6, 3, 7);
            const auto bytes = __builtin_convertvector((sumsOfPairs(pairs, factors) + half) >> bits, FourBytes);
            memcpy(line + x, &bytes, sizeof bytes);
        }
        return end;
    }

    /// Weights sums with a number of taps known to the compiler, or with any number (0).
    template <size_t known> void apply(const int16_t *sums, Pixel *line) const
    {
        const size_t taps = known == 0 ? count : known;
        size_t x = 0;
        if constexpr (known == 2) {
            x = applyPairs(sums, line);
        }
        for (; x < firsts.size(); ++x) {
            const int16_t *const first = sums + firsts[x] * channels;
            const int16_t *const weight = &weights[x * taps];
            int32_t totals[channels];
            std::fill_n(totals, channels, half);
            for (size_t tap = 0; tap < taps; ++tap) {
                for (size_t channel = 0; channel < channels; ++channel) {
                    totals[channel] += int32_t(first[tap * channels + channel]) * weight[tap];
                }
            }
            if constexpr (channels == 1) {
                line[x] = static_cast<uint8_t>(totals[0] >> bits);
            } else {
                line[x] = static_cast<uint32_t>(totals[0] >> bits | totals[1] >> bits << 8 | totals[2] >> bits << 16);
            }
        }
    }
};

} // namespace scans
