// The generators of cuRAND as sequences of 32 bits, and how each one's sequence is entered in its midst: a subsequence
// begins 2^67 (XORWOW), 2^76 (MRG32k3a) or 2^66 (Philox) results after the one before. Facts: curand_kernel.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace cudash::libraries::curand {

/// G. Marsaglia, "Xorshift RNGs": five words that are linear over bits, and a sum.
struct Xorwow {
    std::array<std::uint32_t, 5> words{};
    std::uint32_t sum = 0;

    std::uint32_t next() {
        const std::uint32_t mixed = words[0] ^ words[0] >> 2;
        words = {words[1], words[2], words[3], words[4], words[4] ^ words[4] << 4 ^ mixed ^ mixed << 1};
        sum += 362437;
        return words[4] + sum;
    }
    static Xorwow seeded(std::uint64_t seed);
    /// `count` lanes, each in a subsequence of its own, all at result `skipped` of it.
    static std::vector<Xorwow> lanes(std::uint64_t seed, std::size_t count, std::uint64_t skipped);
    /// Lanes in the sequences of different seeds.
    static std::vector<Xorwow> seeded_lanes(std::uint64_t seed, std::size_t count, std::uint64_t skipped);
    void skip(std::uint64_t results);
};

/// P. L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators".
struct Mrg32k3a {
    static constexpr std::uint64_t modulus1 = 4294967087, modulus2 = 4294944443;
    std::array<std::uint64_t, 3> first{}, second{};

    /// From 1 to modulus1.
    std::uint64_t next_number() {
        const std::uint64_t a = (1403580 * first[1] + 810728 * (modulus1 - first[0])) % modulus1;
        const std::uint64_t b = (527612 * second[2] + 1370589 * (modulus2 - second[0])) % modulus2;
        first = {first[1], first[2], a};
        second = {second[1], second[2], b};
        return a <= b ? a + modulus1 - b : a - b;
    }
    std::uint32_t next() { return static_cast<std::uint32_t>(static_cast<double>(next_number()) * 1.000000048662); }
    static Mrg32k3a seeded(std::uint64_t seed);
    static std::vector<Mrg32k3a> lanes(std::uint64_t seed, std::size_t count, std::uint64_t skipped);
    void skip(std::uint64_t results);
};

/// J. Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3": a block of four results for each counter.
struct Philox {
    std::uint64_t seed = 0;

    std::array<std::uint32_t, 4> block(std::uint64_t subsequence, std::uint64_t number) const;
};

}  // namespace cudash::libraries::curand
