// Slips of a typist: a cell with a token deleted, doubled, exchanged, put in or replaced, cut off, or with a piece of
// another cell in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/cells/cell_corpus.h"

namespace cudash::fuzz {

/// The same numbers on every machine (SplitMix64).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }

private:
    std::uint64_t state_;
};

/// `cell` with one slip, sometimes with two or three. `other` lends the pieces that are put in.
std::string with_slips(std::string_view cell, std::string_view other, Random& random);

}  // namespace cudash::fuzz
