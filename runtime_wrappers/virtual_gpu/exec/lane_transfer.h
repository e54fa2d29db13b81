// Between registers and checked memory: one half of a warp at a time where its places are neighbours or the same one.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"

namespace cudash::virtual_gpu {

/// A load widens T to the register's lane: with its sign or zeros.
template <class T, class L>
inline L widen_to(T value) {
    using Signed = std::conditional_t<sizeof(L) == 8, std::int64_t, std::int32_t>;
    if constexpr (std::is_signed_v<T>) return static_cast<L>(static_cast<Signed>(value));
    return static_cast<L>(value);
}

template <class T>
inline T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// Copies Bytes bytes in the vectors that the host has; memcpy() of this size would go by halves of them.
template <std::size_t Bytes>
inline void copy_vectors(void* to, const void* from) {
#if defined(__AVX2__)
    static_assert(Bytes % 32 == 0 || Bytes < 32);
    if constexpr (Bytes >= 32) {
        for (std::size_t at = 0; at < Bytes; at += 32)
            _mm256_storeu_si256(
                reinterpret_cast<__m256i*>(static_cast<std::byte*>(to) + at),
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(static_cast<const std::byte*>(from) + at)));
        return;
    }
#endif
    std::memcpy(to, from, Bytes);
}

/// 16 neighbours, or the same value 16 times.
template <class T, class L>
inline void load_half(const std::byte* first, Layout layout, L* half) {
    if (layout == Layout::uniform) {
        const L value = widen_to<T, L>(read<T>(first));
        for (unsigned l = 0; l < 16; ++l) half[l] = value;
    } else if constexpr (sizeof(T) == sizeof(L)) {
        copy_vectors<16 * sizeof(T)>(half, first);
    } else {
        T values[16];
        std::memcpy(values, first, sizeof values);
        for (unsigned l = 0; l < 16; ++l) half[l] = widen_to<T, L>(values[l]);
    }
}

// Lanes that store to one place: an access is made 128 bytes at a time, so 16 lanes of 8 bytes come before the other
// 16; within such a part the lowest lane's value stays (recorded on an H200, over 100 launches:
// tests/hardware/combinations).
inline constexpr unsigned bytes_at_once = 128;
template <std::size_t LaneBytes>
inline constexpr unsigned lanes_at_once = LaneBytes* warp_size <= bytes_at_once ? warp_size : bytes_at_once / LaneBytes;

/// The active lanes in the order in which to store, `at_once` together.
template <class Visit>
inline void for_each_storing_lane(std::uint32_t mask, unsigned at_once, Visit&& visit) {
    for (unsigned first = 0; first < warp_size; first += at_once) {
        std::uint32_t part = mask >> first;
        if (at_once < warp_size) part &= (1u << at_once) - 1;
        while (part != 0) {
            const auto highest = static_cast<unsigned>(31 - std::countl_zero(part));
            visit(first + highest);
            part ^= 1u << highest;
        }
    }
}

/// store(h) for both halves of a warp whose lanes have LaneBytes each.
template <std::size_t LaneBytes, class Store>
[[gnu::always_inline]] inline void store_halves(Store&& store) {
    constexpr unsigned first = lanes_at_once<LaneBytes> == warp_size;
    store(first);
    store(1 - first);
}

/// To neighbours, or all to one place.
template <class T, class L>
inline void store_half(std::byte* first, Layout layout, const L* half) {
    if (layout == Layout::uniform) {
        const T value = static_cast<T>(half[0]);
        std::memcpy(first, &value, sizeof value);
    } else if constexpr (sizeof(T) == sizeof(L)) {
        copy_vectors<16 * sizeof(T)>(first, half);
    } else {
        T values[16];
        for (unsigned l = 0; l < 16; ++l) values[l] = static_cast<T>(half[l]);
        std::memcpy(first, values, sizeof values);
    }
}

/// Both halves of a warp, each to neighbours. One behind the other they go upwards, which memory likes best: only where
/// they overlap does it show which is first.
template <class T, class L>
[[gnu::always_inline]] inline void store_rows(std::byte* first, std::byte* second, const L* source) {
    if (second == first + 16 * sizeof(T)) [[likely]] {
        store_half<T, L>(first, Layout::consecutive, source);
        store_half<T, L>(second, Layout::consecutive, source + 16);
        return;
    }
    store_halves<sizeof(T)>(
        [&](unsigned h) { store_half<T, L>(h == 0 ? first : second, Layout::consecutive, source + 16 * h); });
}

template <class T, class L>
inline void load_lanes(Warp& w, const Access& access, const Layout (&layouts)[2], L* d, unsigned element) {
    if (w.mask == full_mask && access.linear) {
        for (unsigned h = 0; h < 2; ++h) {
            const std::byte* first = access.at(16 * h) + element * sizeof(T);
            L* half = d + 16 * h;
            if (layouts[h] != Layout::scattered) {
                load_half<T, L>(first, layouts[h], half);
            } else {
                const std::uint64_t bias = access.bias + element * sizeof(T);
                for (unsigned l = 0; l < 16; ++l)
                    half[l] =
                        widen_to<T, L>(read<T>(reinterpret_cast<const std::byte*>(access.address[16 * h + l] + bias)));
            }
        }
        return;
    }
    for_each_lane(w.mask, [&](unsigned l) { d[l] = widen_to<T, L>(read<T>(access.at(l) + element * sizeof(T))); });
}

/// `count`: of such elements that a lane stores in the same instruction.
template <class T, class L>
inline void store_lanes(Warp& w, const Access& access, const Layout (&layouts)[2], const L* s, unsigned element,
                        unsigned count = 1) {
    if (w.mask == full_mask && access.linear && count == 1) {
        store_halves<sizeof(T)>([&](unsigned h) {
            const L* half = s + 16 * h;
            if (layouts[h] == Layout::consecutive) {
                T values[16];
                for (unsigned l = 0; l < 16; ++l) values[l] = static_cast<T>(half[l]);
                std::memcpy(access.at(16 * h), values, sizeof values);
            } else {
                for (unsigned l = 16; l-- > 0;) {
                    const T value = static_cast<T>(half[l]);
                    std::memcpy(reinterpret_cast<std::byte*>(access.address[16 * h + l] + access.bias), &value,
                                sizeof value);
                }
            }
        });
        return;
    }
    const unsigned at_once = std::min<unsigned>(warp_size, bytes_at_once / (sizeof(T) * count));
    for_each_storing_lane(w.mask, at_once, [&](unsigned l) {
        const T value = static_cast<T>(s[l]);
        std::memcpy(access.at(l) + element * sizeof(T), &value, sizeof value);
    });
}

/// While it lives a store is done. Sets Warp::wrote: always, or for a warp that is watched where memory changes.
class ChangeWatch {
public:
    ChangeWatch(Warp& w, const Access& access, std::uint32_t bytes) : warp_(w), access_(access), bytes_(bytes) {
        if (w.watched) [[unlikely]]
            for_each_lane(w.mask, [&](unsigned l) { std::memcpy(before_[l], access.at(l), bytes); });
        else
            w.wrote = true;
    }
    ~ChangeWatch() {
        if (warp_.watched) [[unlikely]]
            for_each_lane(warp_.mask,
                          [&](unsigned l) { warp_.wrote |= std::memcmp(before_[l], access_.at(l), bytes_) != 0; });
    }
    ChangeWatch(const ChangeWatch&) = delete;
    ChangeWatch& operator=(const ChangeWatch&) = delete;

private:
    static constexpr std::size_t most_bytes = 32;  ///< of a lane: .v4.b64

    Warp& warp_;
    const Access& access_;
    std::uint32_t bytes_;
    std::byte before_[warp_size][most_bytes];  // NOLINT: not set unless it is needed
};

}  // namespace cudash::virtual_gpu
