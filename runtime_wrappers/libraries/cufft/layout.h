// Where a transform's numbers are in memory, and which rows of memory these are.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime_wrappers/libraries/work.h"

namespace cudash::libraries::cufft {

/// Of three dimensions, the last one the fastest; with fewer, the first ones are 1.
using Sizes = std::array<std::int64_t, 3>;

inline std::int64_t count_of(const Sizes& sizes) {
    return sizes[0] * sizes[1] * sizes[2];
}
/// What a spectrum of real numbers has: the other half is its mirror image.
inline Sizes half_of(const Sizes& sizes) {
    return {sizes[0], sizes[1], sizes[2] / 2 + 1};
}

/// Distances in elements.
struct Layout {
    Sizes strides{};
    std::int64_t batch = 0;  ///< from one transform to the next

    /// In an array of such a size, as if each element had `stride` elements of room.
    static Layout within(const Sizes& storage, std::int64_t stride, std::int64_t batch) {
        return {{storage[1] * storage[2] * stride, storage[2] * stride, stride}, batch};
    }
    /// One after the other, without gaps.
    static Layout packed(const Sizes& storage) { return within(storage, 1, count_of(storage)); }
};

/// Rows of memory: `shape`, once at each of `starts`.
struct MemoryRows {
    Shape shape;
    std::vector<std::int64_t> starts;
    std::int64_t extent = 0;  ///< from the first element to the end of the last one
};
MemoryRows rows_of(const Sizes& sizes, std::int64_t batch, const Layout& layout);

/// Its number, for Operands::at, which gives its first element.
template <class T>
std::size_t add_operand(Work& work, std::string_view name, const T* pointer, const MemoryRows& rows, Access access) {
    if (rows.starts.size() == 1) return work.add(name, pointer, rows.shape, access);
    // All of it is in one allocation; what is read or written is row by row.
    const std::size_t whole = work.add(name, pointer, {.width = rows.extent}, Access::none);
    for (const std::int64_t start : rows.starts) work.add(name, pointer + start, rows.shape, access);
    return whole;
}

}  // namespace cudash::libraries::cufft
