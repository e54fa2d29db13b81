// What one operation does to device memory, as the checker for races between streams keeps it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/check/footprint.h"

namespace cudash::virtual_gpu {

struct Piece {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t line = 0;        ///< index + 1 in Uses::lines; 0: not known
    std::uint64_t allocation = 0;  ///< its serial
};

struct Uses {
    std::array<std::vector<Piece>, use_count> pieces;
    std::vector<SourceSpot> lines;
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;  ///< once settled: all pieces lie between
    /// A kernel with the means to pass data to another that runs at the same time.
    bool signals = false;
    bool complete = true;  ///< nothing else was used

    std::vector<Piece>& of(Use use) { return pieces[static_cast<std::size_t>(use)]; }
    const std::vector<Piece>& of(Use use) const { return pieces[static_cast<std::size_t>(use)]; }
    void add(Use use, std::uint64_t address, std::uint64_t bytes, std::uint32_t line = 0) {
        if (bytes != 0) of(use).push_back({address, address + bytes, line, 0});
    }
    bool empty() const { return begin >= end; }
    bool near(const Uses& other) const { return begin < other.end && other.begin < end; }
    /// Sorted, without overlaps, each piece in one allocation of device or page-locked memory; what lies elsewhere is
    /// left out.
    void settle(const class AddressSpace& memory);
};

}  // namespace cudash::virtual_gpu
