// The one way to memory: from the lanes' addresses to pointers that were checked before anything is touched.
#pragma once

#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/observe.h"
#include "runtime_wrappers/virtual_gpu/isa/address_windows.h"

namespace cudash::virtual_gpu {

/// The addresses of a warp's access and, once checked, the bytes behind them.
struct Access {
    alignas(64) std::uint64_t address[warp_size];
    /// Add it to an address to get a pointer, when `linear`; otherwise each lane has its own pointer.
    std::uint64_t bias = 0;
    bool linear = true;
    std::uint32_t elsewhere = 0;  ///< lanes whose address is in the shared memory of a block of the cluster
    std::byte* pointers[warp_size];

    std::byte* at(unsigned lane) const {
        return linear ? reinterpret_cast<std::byte*>(address[lane] + bias) : pointers[lane];
    }
};

/// How the addresses of 16 neighbouring lanes lie. Blocks 16 threads wide are common, so halves are looked at alone.
enum class Layout : std::uint8_t { scattered, consecutive, uniform };

/// What checking needs to know of an access.
struct AccessShape {
    ptx::Space space;
    AccessKind kind;
    std::uint32_t size;
    const void* values = nullptr;  ///< of a store: the register that holds them, `value_bytes` per lane
    std::uint32_t value_bytes = 0;
};

/// Checks [low, high + size) against the space's bounds; on success `bias` leads from addresses to pointers.
bool find_global(Warp& w, const Instruction* i, Address low, Address high, const AccessShape& shape,
                 std::uint64_t& bias);

inline bool check_global(Warp& w, const Instruction* i, Address low, Address high, const AccessShape& shape,
                         std::uint64_t& bias) {
    const Range& cached = w.worker->range_cache[i->cache];
    const bool holds = low >= cached.begin && high < cached.end && cached.end - high >= shape.size;
    if (!holds || cached.read_only) return find_global(w, i, low, high, shape, bias);
    bias = static_cast<std::uint64_t>(cached.host_offset);
    return true;
}

/// The slow way, lane by lane: sets `pointers`, or raises the fault of the first lane whose access is not allowed.
bool check_lanes(Warp& w, const Instruction* i, Access& access, const AccessShape& shape);

template <ptx::Space Space>
inline bool check_range(Warp& w, const Instruction* i, Address low, Address high, const AccessShape& shape,
                        std::uint64_t& bias) {
    if constexpr (Space == ptx::Space::shared) {
        bias = reinterpret_cast<std::uint64_t>(w.block->shared);
        return high < w.block->shared_bytes && high + shape.size <= w.block->shared_bytes;
    } else if constexpr (Space == ptx::Space::none) {
        if (in_window(low, shared_window)) {
            bias = reinterpret_cast<std::uint64_t>(w.block->shared) - shared_window;
            return high >= low && high - shared_window + shape.size <= w.block->shared_bytes;
        }
        return check_global(w, i, low, high, shape, bias);
    } else {
        return check_global(w, i, low, high, shape, bias);
    }
}

/// An access of all 32 lanes in which each half of the warp reads neighbours or one place: what most accesses are.
struct HalfWarpAccess {
    std::byte* first[2];
    Layout layout[2];
};
/// False: it is no such access, or it is not allowed; resolve() then finds out which.
template <ptx::Space Space, class AddressLane, std::uint32_t Size>
[[gnu::always_inline]] inline bool resolve_halves(const Instruction* i, Warp& w, AccessKind kind,
                                                  HalfWarpAccess& access) {
    if (w.mask != full_mask || w.observer) return false;
    const AddressLane* registers = lanes<AddressLane>(w, i->a);
    std::uint64_t begin[2], last[2];
    for (unsigned h = 0; h < 2; ++h) {
        const AddressLane* half = registers + 16 * h;
        const AddressLane first = half[0], step = half[1] - first;
        if ((step != Size && step != 0) || !is_progression<Size>(half, step == 0)) return false;
        access.layout[h] = step == 0 ? Layout::uniform : Layout::consecutive;
        begin[h] = first + static_cast<std::uint64_t>(i->immediate);
        last[h] = begin[h] + (step == 0 ? 0 : 15 * Size);
    }
    std::uint64_t bias;
    const AccessShape shape{Space, kind, Size};
    if (((begin[0] | begin[1]) & (Size - 1)) != 0 ||
        !check_range<Space>(w, i, std::min(begin[0], begin[1]), std::max(last[0], last[1]), shape, bias))
        return false;
    access.first[0] = reinterpret_cast<std::byte*>(begin[0] + bias);
    access.first[1] = reinterpret_cast<std::byte*>(begin[1] + bias);
    return true;
}

/// Checks access.address of the active lanes. False: a fault was raised. `layouts`: of the two halves, when all lanes
/// are active and the access is linear; otherwise scattered.
template <ptx::Space Space>
inline bool check_addresses(const Instruction* i, Warp& w, Access& access, const AccessShape& shape,
                            Layout (&layouts)[2]);

/// Reads the addresses from register a, adds the offset, and checks them.
template <ptx::Space Space, class AddressLane>
inline bool resolve(const Instruction* i, Warp& w, Access& access, const AccessShape& shape, Layout (&layouts)[2]) {
    const AddressLane* registers = lanes<AddressLane>(w, i->a);
    const auto offset = static_cast<std::uint64_t>(i->immediate);
    CUDASH_LANE_LOOP
    for (unsigned l = 0; l < warp_size; ++l) access.address[l] = registers[l] + offset;
    return check_addresses<Space>(i, w, access, shape, layouts);
}

template <ptx::Space Space>
inline bool check_unobserved(const Instruction* i, Warp& w, Access& access, const AccessShape& shape,
                             Layout (&layouts)[2]) {
    layouts[0] = layouts[1] = Layout::scattered;
    if constexpr (Space == ptx::Space::local || Space == ptx::Space::param) return check_lanes(w, i, access, shape);

    const std::uint64_t* address = access.address;
    std::uint64_t low = ~0ull, high = 0, bits = 0;
    if (w.mask == full_mask) {
        for (unsigned h = 0; h < 2; ++h) {
            const std::uint64_t* half = address + 16 * h;
            const std::uint64_t first = half[0], step = half[1] - half[0];
            std::uint64_t different = 0;
            if (step == 0 || step == shape.size) {
                CUDASH_LANE_LOOP
                for (unsigned l = 0; l < 16; ++l) different |= half[l] ^ (first + l * step);
                if (different == 0) {
                    layouts[h] = step == 0 ? Layout::uniform : Layout::consecutive;
                    bits |= first;
                    low = first < low ? first : low;
                    high = half[15] > high ? half[15] : high;
                    continue;
                }
            }
            std::uint64_t least = half[0], most = half[0], all = 0;
            CUDASH_LANE_LOOP
            for (unsigned l = 0; l < 16; ++l) {
                least = half[l] < least ? half[l] : least;
                most = half[l] > most ? half[l] : most;
                all |= half[l];
            }
            bits |= all;
            low = least < low ? least : low;
            high = most > high ? most : high;
        }
    } else {
        for_each_lane(w.mask, [&](unsigned l) {
            low = address[l] < low ? address[l] : low;
            high = address[l] > high ? address[l] : high;
            bits |= address[l];
        });
    }
    if ((bits & (shape.size - 1)) == 0 && check_range<Space>(w, i, low, high, shape, access.bias)) [[likely]]
        return true;
    layouts[0] = layouts[1] = Layout::scattered;
    return check_lanes(w, i, access, shape);
}

template <ptx::Space Space>
inline bool check_addresses(const Instruction* i, Warp& w, Access& access, const AccessShape& shape,
                            Layout (&layouts)[2]) {
    if (!check_unobserved<Space>(i, w, access, shape, layouts)) return false;
    if (w.observer) [[unlikely]]
        observe(w, i, access, shape);
    return true;
}

}  // namespace cudash::virtual_gpu
