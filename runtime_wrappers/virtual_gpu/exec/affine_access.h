// The way to memory of accesses whose address is an affine register: of one warp, and of all warps of a block that run
// in lockstep.
#pragma once

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/affine.h"
#include "runtime_wrappers/virtual_gpu/exec/lockstep.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"

namespace cudash::virtual_gpu {

/// Where the two halves' lanes begin, and how far apart they are in bytes.
struct AffinePlaces {
    std::byte* first[2];
    std::int64_t step;
};

/// From the lowest first byte of an access to the highest one: what an observer asks for.
template <std::size_t Count>
[[gnu::always_inline]] inline bool is_unobserved(Warp& w, const Instruction* i, AccessKind kind,
                                                 const Span (&spans)[Count]) {
    std::uint64_t low = spans[0].first, high = low + spans[0].reach;
    for (const Span& span : spans) {
        low = std::min(low, span.first);
        high = std::max(high, span.first + span.reach);
    }
    return w.observer->is_unobserved(i, kind, low, high);
}

/// False: some of the 32 places are not allowed; the lanes' way finds out about the active ones.
template <ptx::Space Space, class AddressLane, std::uint32_t Size>
[[gnu::always_inline]] inline bool resolve_affine(const Instruction* i, Warp& w, AccessKind kind, AffinePlaces& places,
                                                  const void* values = nullptr, std::uint32_t value_bytes = 0) {
    const Affine& address = affine(w, i->a);
    const AddressLane first = with_offset(static_cast<AddressLane>(address.base), i);
    const AddressLane second = with_offset(static_cast<AddressLane>(address.base + address.half), i);
    const std::int64_t step = static_cast<std::make_signed_t<AddressLane>>(address.step);
    if (((first | second | static_cast<AddressLane>(step)) & (Size - 1)) != 0 || is_too_long(step)) return false;
    const Span halves[] = {span_of_progression(first, step, 16, Size), span_of_progression(second, step, 16, Size)};
    std::uint64_t bias;
    if (!check_spans<Space>(w, i, halves, kind, bias)) return false;
    if (w.observer && !is_unobserved(w, i, kind, halves)) [[unlikely]]
        observe_progression(w, i, {first, second}, step, bias, {Space, kind, Size, values, value_bytes});
    places.first[0] = reinterpret_cast<std::byte*>(first + bias);
    places.first[1] = reinterpret_cast<std::byte*>(second + bias);
    places.step = step;
    return true;
}

/// Where lane 0 of warp 0 begins, and how far apart in bytes lanes, halves and warps are. Warp 0 may not be active;
/// what its lanes have then is a number to count from.
struct BlockPlaces {
    std::uint64_t first;
    std::int64_t step, half, warp;
    std::uint64_t bias;  ///< what `first` has more than the address

    AffinePlaces of_warp(std::uint32_t k) const {
        const std::uint64_t begin = first + k * static_cast<std::uint64_t>(warp);
        return {{reinterpret_cast<std::byte*>(begin),
                 reinterpret_cast<std::byte*>(begin + static_cast<std::uint64_t>(half))},
                step};
    }
};

/// As resolve_affine, for the lanes of all warps between the first and the last active one.
template <ptx::Space Space, class AddressLane, std::uint32_t Size>
[[gnu::always_inline]] inline bool resolve_block(const Instruction* i, Warp& w, AccessKind kind, BlockPlaces& places) {
    using Signed = std::make_signed_t<AddressLane>;
    const Affine& address = affine(w, i->a);
    const Lockstep& lockstep = w.block->lockstep;
    const AddressLane first = with_offset(static_cast<AddressLane>(address.base), i);
    const std::int64_t step = static_cast<Signed>(address.step), half = static_cast<Signed>(address.half),
                       warp = static_cast<Signed>(address.warp);
    if (((first | static_cast<AddressLane>(step | half | warp)) & (Size - 1)) != 0) return false;
    if constexpr (sizeof(AddressLane) == 8)
        if (is_too_long(step) || is_too_long(half) || is_too_long(warp)) return false;
    // The lowest and the highest place, counted from `first`.
    const std::int64_t reach = 15 * step, one = lockstep.first * warp, other = lockstep.last * warp;
    const std::int64_t down = std::min<std::int64_t>(reach, 0) + std::min<std::int64_t>(half, 0) + std::min(one, other);
    const std::int64_t up = std::max<std::int64_t>(reach, 0) + std::max<std::int64_t>(half, 0) + std::max(one, other);
    const Span all[] = {{static_cast<AddressLane>(first + static_cast<AddressLane>(down)),
                         static_cast<std::uint64_t>(up - down), Size}};
    std::uint64_t bias;
    if (!check_spans<Space>(w, i, all, kind, bias)) return false;
    // Most observers are told warp by warp.
    if (w.observer && !w.observer->takes_blocks && !is_unobserved(w, i, kind, all)) [[unlikely]]
        return false;
    places = {all[0].first - static_cast<std::uint64_t>(down) + bias, step, half, warp, bias};
    return true;
}

}  // namespace cudash::virtual_gpu
