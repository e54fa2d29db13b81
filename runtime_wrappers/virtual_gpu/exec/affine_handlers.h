// What the affine forms of registers have in common: how a handler ends, the range of a progression, and how a rule
// chooses handlers by type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime_wrappers/virtual_gpu/exec/affine.h"
#include "runtime_wrappers/virtual_gpu/exec/lockstep.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/affine_form.h"

namespace cudash::virtual_gpu {

template <class L>
void write_mirror(const Affine& value, Warp& w, std::uint32_t offset) {
    if (w.mask == full_mask) {
        expand(value, lanes<L>(w, offset));
    } else {
        alignas(64) L all[warp_size];
        expand(value, all);
        write_lanes<L>(w, lanes<L>(w, offset), [&](unsigned l) { return all[l]; });
    }
}
/// The lanes of d are written too, where somebody reads them.
template <Extent E, class L>
[[gnu::noinline]] const Instruction* run_mirror(const Instruction* i, Warp& w) {
    if constexpr (E == Extent::warp) {
        write_mirror<L>(affine(w, i->d), w, i->extra);
    } else {
        const Affine value = affine(w, i->d);
        for_each_active_warp(w, [&](Warp& each) { write_mirror<L>(value.of_warp(each.index), each, i->extra); });
    }
    return i + 1;
}

/// What follows is not affine, or not in lockstep.
template <Extent E>
const Instruction* leave(const Instruction* i, Warp& w) {
    return E == Extent::warp ? w.leave_affine(i) : leave_lockstep(i, w);
}

/// In an affine form d, a, b and c are places of affine registers, `extra` is the place of d's lanes if somebody reads
/// them, and `count` tells that d is read outside its basic block.
template <Extent E, class L>
[[gnu::always_inline]] inline const Instruction* finish(const Instruction* i, Warp& w, const Affine& value) {
    // Lanes that are elsewhere may still need what they have in d. (In lockstep there are none where that matters.)
    if (E == Extent::warp && i->count && w.mask != w.live) [[unlikely]]
        return w.leave_affine(i);
    Affine& d = affine(w, i->d);
    d.base = value.base;
    d.step = value.step;
    d.half = value.half;
    if constexpr (E == Extent::block) d.warp = value.warp;
    if (i->extra != no_index) [[unlikely]]
        return run_mirror<E, L>(i, w);
    return next(i, w);
}
/// As finish, for what writes a predicate or memory: it may have a guard, and `count` tells that it has none.
[[gnu::always_inline]] inline const Instruction* finish_guarded(const Instruction* i, Warp& w) {
    return i->count ? next(i, w) : i + 1;
}

inline Affine sum(const Affine& a, const Affine& b) {
    return {a.base + b.base, a.step + b.step, a.half + b.half, a.warp + b.warp};
}
inline Affine scaled(const Affine& a, std::uint64_t factor) {
    return {a.base * factor, a.step * factor, a.half * factor, a.warp * factor};
}

/// The least and greatest of the 32-bit lanes of `a`, if nothing wraps around.
struct Extremes {
    std::int64_t low, high;
};
template <Extent E, class T>
[[gnu::always_inline]] inline Extremes extremes(const Affine& a, const Warp& w) {
    const std::int64_t base = static_cast<T>(a.base);
    const std::int64_t reach = 15 * std::int64_t{static_cast<std::int32_t>(a.step)};
    const std::int64_t half = static_cast<std::int32_t>(a.half);
    Extremes e{base + std::min<std::int64_t>(reach, 0) + std::min<std::int64_t>(half, 0),
               base + std::max<std::int64_t>(reach, 0) + std::max<std::int64_t>(half, 0)};
    if constexpr (E == Extent::block) {
        const Lockstep& lockstep = w.block->lockstep;
        const std::int64_t warp = static_cast<std::int32_t>(a.warp);
        const std::int64_t first = lockstep.first * warp, last = lockstep.last * warp;
        e.low += std::min(first, last);
        e.high += std::max(first, last);
    }
    return e;
}
template <class T>
inline bool fits(const Extremes& e) {
    return e.low >= std::numeric_limits<T>::min() && e.high <= std::numeric_limits<T>::max();
}

template <class Pick>
AffineForms forms(Pick pick) {
    return {pick.template operator()<Extent::warp>(), pick.template operator()<Extent::block>()};
}
/// forms() for one of the types, none for others.
template <ptx::Type... Types, class Pick>
AffineForms forms_for_type(ptx::Type type, Pick pick) {
    return forms([&]<Extent E>() {
        return for_type<Types...>(type, [&]<class T>() { return pick.template operator()<E, T>(); }).run;
    });
}
#define CUDASH_FORMS(function, ...) forms([]<Extent E>() -> Handler { return function<E __VA_OPT__(, ) __VA_ARGS__>; })

inline bool is_word(ptx::Type type) {
    return type == ptx::Type::u32 || type == ptx::Type::s32 || type == ptx::Type::b32;
}
inline bool is_long(ptx::Type type) {
    return type == ptx::Type::u64 || type == ptx::Type::s64 || type == ptx::Type::b64;
}
/// The larger of the first `count` sources, or unknown if one of them is.
inline Shape widest(const AffineQuery& q, unsigned count) {
    Shape shape = Shape::uniform;
    for (unsigned s = 0; s < count; ++s) {
        if (q.sources[s] == Shape::unknown) return Shape::unknown;
        shape = std::max(shape, q.sources[s]);
    }
    return shape;
}

}  // namespace cudash::virtual_gpu
