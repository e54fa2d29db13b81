// The one way to memory: from the lanes' addresses to pointers that were checked before anything is touched.
#pragma once

#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/access_span.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/observe.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

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

/// The address that an instruction's offset makes of a register's. Registers of 32 bits wrap around: with -4 in the
/// register, [r+8] is byte 4 of shared memory (measured on an H200).
template <class AddressLane>
[[gnu::always_inline]] constexpr AddressLane with_offset(AddressLane value, const Instruction* i) {
    return static_cast<AddressLane>(value + static_cast<AddressLane>(i->immediate));
}

/// Finds the allocation that holds all spans; on success `bias` leads from addresses to pointers.
bool find_global(Warp& w, const Instruction* i, std::span<const Span> spans, AccessKind kind, std::uint64_t& bias);

template <std::size_t Count>
[[gnu::always_inline]] inline bool holds_all(const Region& region, const Span (&spans)[Count]) {
    for (const Span& span : spans)
        if (!region.holds(span)) return false;
    return true;
}

template <std::size_t Count>
inline bool check_global(Warp& w, const Instruction* i, const Span (&spans)[Count], AccessKind kind,
                         std::uint64_t& bias) {
    const Range& cached = w.worker->range_cache[i->cache];
    if (!holds_all(cached.region(), spans) || cached.read_only) return find_global(w, i, spans, kind, bias);
    bias = static_cast<std::uint64_t>(cached.host_offset);
    return true;
}

/// The slow way, lane by lane: sets `pointers`, or raises the fault of the first lane whose access is not allowed.
bool check_lanes(Warp& w, const Instruction* i, Access& access, const AccessShape& shape);

/// Whether one piece of the space's memory holds all spans. False may also mean that they lie in several pieces.
template <ptx::Space Space, std::size_t Count>
[[gnu::always_inline]] inline bool check_spans(Warp& w, const Instruction* i, const Span (&spans)[Count],
                                               AccessKind kind, std::uint64_t& bias) {
    static_assert(Space != ptx::Space::local && Space != ptx::Space::param, "these differ from lane to lane");
    if constexpr (Space == ptx::Space::shared) {
        const Region region = w.block->shared_region();
        bias = reinterpret_cast<std::uint64_t>(w.block->shared) - region.begin;
        return holds_all(region, spans);
    } else if constexpr (Space == ptx::Space::none) {
        if (in_window(spans[0].first, shared_window)) {
            Region region = w.block->shared_region();
            region.begin += shared_window;
            bias = reinterpret_cast<std::uint64_t>(w.block->shared) - region.begin;
            return holds_all(region, spans);
        }
    }
    return check_global(w, i, spans, kind, bias);
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
    Span halves[2];
    for (unsigned h = 0; h < 2; ++h) {
        const AddressLane* half = registers + 16 * h;
        const AddressLane first = half[0], step = half[1] - first;
        if ((step != Size && step != 0) || !is_progression<Size>(half, step == 0)) return false;
        access.layout[h] = step == 0 ? Layout::uniform : Layout::consecutive;
        halves[h] = {with_offset(first, i), step == 0 ? 0 : 15 * Size, Size};
    }
    std::uint64_t bias;
    if (((halves[0].first | halves[1].first) & (Size - 1)) != 0 || !check_spans<Space>(w, i, halves, kind, bias))
        return false;
    for (unsigned h = 0; h < 2; ++h) access.first[h] = reinterpret_cast<std::byte*>(halves[h].first + bias);
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
    CUDASH_LANE_LOOP
    for (unsigned l = 0; l < warp_size; ++l) access.address[l] = with_offset(registers[l], i);
    return check_addresses<Space>(i, w, access, shape, layouts);
}

/// How 16 neighbouring lanes lie, and their span; `bits` collects the bits that are set in any address.
inline Layout look_at_half(const std::uint64_t* half, std::uint32_t size, Span& span, std::uint64_t& bits) {
    const std::uint64_t first = half[0], step = half[1] - half[0];
    if (step == 0 || step == size) {
        std::uint64_t different = 0;
        CUDASH_LANE_LOOP
        for (unsigned l = 0; l < 16; ++l) different |= half[l] ^ (first + l * step);
        if (different == 0) {
            bits |= first | step;
            span = {first, 15 * step, size};
            return step == 0 ? Layout::uniform : Layout::consecutive;
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
    span = {least, most - least, size};
    return Layout::scattered;
}

/// The quick way: whether the active lanes' addresses are multiples of the size, in one piece of memory. Sets `bias`.
template <ptx::Space Space>
inline bool check_together(const Instruction* i, Warp& w, Access& access, const AccessShape& shape,
                           Layout (&layouts)[2]) {
    std::uint64_t bits = 0;
    bool held;
    if (w.mask == full_mask) {
        Span halves[2];
        for (unsigned h = 0; h < 2; ++h)
            layouts[h] = look_at_half(access.address + 16 * h, shape.size, halves[h], bits);
        held = check_spans<Space>(w, i, halves, shape.kind, access.bias);
    } else {
        std::uint64_t least = ~std::uint64_t{0}, most = 0;
        for_each_lane(w.mask, [&](unsigned l) {
            least = std::min(least, access.address[l]);
            most = std::max(most, access.address[l]);
            bits |= access.address[l];
        });
        const Span active[] = {{least, most - least, shape.size}};
        held = check_spans<Space>(w, i, active, shape.kind, access.bias);
    }
    return held && (bits & (shape.size - 1)) == 0;
}

template <ptx::Space Space>
inline bool check_unobserved(const Instruction* i, Warp& w, Access& access, const AccessShape& shape,
                             Layout (&layouts)[2]) {
    layouts[0] = layouts[1] = Layout::scattered;
    if constexpr (Space != ptx::Space::local && Space != ptx::Space::param) {
        if (check_together<Space>(i, w, access, shape, layouts)) [[likely]]
            return true;
        layouts[0] = layouts[1] = Layout::scattered;
    }
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
