// One memory instruction as a warp executes it: what the models of the memory pipeline price.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace cudash::virtual_gpu {

inline constexpr unsigned lanes_per_warp = 32;

struct WarpAccess {
    std::array<std::uint64_t, lanes_per_warp> addresses{};  ///< of lanes outside `mask`: anything
    std::uint32_t mask = ~0u;                               ///< lanes that take part
    std::uint32_t size = 4;                                 ///< bytes per lane: 1, 2, 4, 8 or 16, and aligned to it
    bool store = false;

    bool active(unsigned lane) const { return mask >> lane & 1; }
    /// Without inactive lanes: element `first + stride * lane` of an array of elements of `size` bytes at `base`.
    static WarpAccess strided(std::uint64_t base, std::uint32_t size, std::int64_t stride, std::int64_t first = 0) {
        WarpAccess access;
        access.size = size;
        for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
            access.addresses[lane] =
                base + static_cast<std::uint64_t>((first + stride * static_cast<std::int64_t>(lane)) *
                                                  static_cast<std::int64_t>(size));
        return access;
    }
};

/// Calls `visit(lane)` for the lanes of `mask`, lowest first.
template <class Visit>
void for_each_active_lane(std::uint32_t mask, Visit&& visit) {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Lanes `first` to `first + count - 1`.
constexpr std::uint32_t lane_range(unsigned first, unsigned count) {
    return (count == lanes_per_warp ? ~0u : (1u << count) - 1) << first;
}

/// Counts different numbers, of at most one for each lane; they are below 2^64 - 1.
class DistinctNumbers {
public:
    void add(std::uint64_t number) {
        for (std::uint64_t at = number * 0x9E37'79B9'7F4A'7C15ull >> 58;; ++at) {
            std::uint64_t& slot = slots_[at % slots_.size()];
            if (slot == number + 1) return;
            if (slot != 0) continue;
            slot = number + 1;
            ++count_;
            return;
        }
    }
    std::uint32_t count() const { return count_; }

private:
    std::array<std::uint64_t, 2 * lanes_per_warp> slots_{};
    std::uint32_t count_ = 0;
};

/// A list with room for all that one access of a warp can give: nothing is allocated.
template <class T, std::size_t Most>
class ShortList {
public:
    T& push_back(const T& value) { return items_[size_++] = value; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return items_[i]; }
    const T& operator[](std::size_t i) const { return items_[i]; }
    T* begin() { return items_; }
    T* end() { return items_ + size_; }
    const T* begin() const { return items_; }
    const T* end() const { return items_ + size_; }

private:
    std::size_t size_ = 0;
    T items_[Most];
};

}  // namespace cudash::virtual_gpu
