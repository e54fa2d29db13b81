// Where the lanes of an access go, and the memory that they may touch. Nothing here adds to an address, so no sum can
// wrap around: a span has its first address and a length, and a region compares both with what it has left.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {

/// Accesses of `size` bytes each that begin at addresses from `first` to `reach` bytes further.
struct Span {
    Address first = 0;
    std::uint64_t reach = 0;
    std::uint32_t size = 1;
};

/// Longest step and longest way from warp to warp that spans are made of: 32 of them are far less than 2^63.
inline constexpr std::int64_t longest_step = std::int64_t{1} << 40;
constexpr bool is_too_long(std::int64_t step) {
    return step > longest_step || step < -longest_step;
}

/// The span of `count` accesses, `step` bytes apart, the first of them at `first`. `Word` is the address register: with
/// 32 bits, addresses are numbers modulo 2^32 (as an H200's shared memory has them).
template <class Word>
constexpr Span span_of_progression(Word first, std::int64_t step, unsigned count, std::uint32_t size) {
    const std::int64_t reach = step * (std::int64_t{count} - 1);
    if (reach >= 0) return {first, static_cast<std::uint64_t>(reach), size};
    return {static_cast<Word>(first + static_cast<Word>(reach)), static_cast<std::uint64_t>(-reach), size};
}

/// Bytes that lie together: an allocation, the shared memory of a block, the local memory of a thread.
struct Region {
    Address begin = 0;
    std::uint64_t bytes = 0;

    /// All bytes of the span are among these.
    constexpr bool holds(const Span& span) const {
        const std::uint64_t before = span.first - begin;  // below `begin`: more than any region has
        if (before >= bytes) return false;
        const std::uint64_t left = bytes - before;
        return left >= span.size && left - span.size >= span.reach;
    }
};

}  // namespace cudash::virtual_gpu
