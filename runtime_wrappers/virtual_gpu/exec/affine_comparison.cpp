// The affine forms of setp. What holds for the extremes of both sides holds for every lane between them.
#include <cstring>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/exec/affine_handlers.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

/// The least and greatest lane; false: the lanes wrap around, or are not looked at.
template <Extent E, class T>
inline bool range_of(const Affine& a, const Warp& w, Extremes& e) {
    if constexpr (sizeof(T) == 8) {
        e.low = e.high = static_cast<std::int64_t>(a.base);
        return a.uniform() && (E == Extent::warp || a.warp == 0) && std::is_signed_v<T>;
    } else {
        e = extremes<E, T>(a, w);
        return fits<T>(e);
    }
}

template <class T, bool (*Function)(T, T)>
[[gnu::noinline]] std::uint32_t compare_expanded(const Affine& a, const Affine& b) {
    alignas(64) Lane<T> left[warp_size], right[warp_size];
    expand(a, left);
    expand(b, right);
    return compare_lanes<T, Function>(left, right);
}

enum class Truth : std::uint8_t { none, all, mixed };

/// `Ordered`: of <, <=, >, >=. What holds for all four pairs of extremes holds for every pair of lanes; equality fails
/// for all where the ranges have nothing in common.
template <Extent E, class T, bool (*Function)(T, T), bool Ordered>
inline Truth compare_extremes(const Affine& a, const Affine& b, const Warp& w) {
    using L = Lane<T>;
    const std::uint64_t warps = E == Extent::block ? a.warp | b.warp : 0;
    if (static_cast<L>(a.step | a.half | b.step | b.half | warps) == 0)
        return Function(static_cast<T>(a.base), static_cast<T>(b.base)) ? Truth::all : Truth::none;
    Extremes x, y;
    if (!range_of<E, T>(a, w, x) || !range_of<E, T>(b, w, y)) return Truth::mixed;
    const bool truth = Function(static_cast<T>(x.low), static_cast<T>(y.low));
    if constexpr (!Ordered) {
        if (x.high >= y.low && y.high >= x.low) return Truth::mixed;
    } else {
        if (truth != Function(static_cast<T>(x.low), static_cast<T>(y.high)) ||
            truth != Function(static_cast<T>(x.high), static_cast<T>(y.low)) ||
            truth != Function(static_cast<T>(x.high), static_cast<T>(y.high)))
            return Truth::mixed;
    }
    return truth ? Truth::all : Truth::none;
}

template <class T, bool (*Function)(T, T), bool Ordered>
[[gnu::always_inline]] inline std::uint32_t compare_warp(const Affine& a, const Affine& b, Warp& w) {
    const Truth truth = compare_extremes<Extent::warp, T, Function, Ordered>(a, b, w);
    if (truth == Truth::mixed) return compare_expanded<T, Function>(a, b);
    return truth == Truth::all ? full_mask : 0;
}

/// The truth for the lanes of each active warp.
template <class T, bool (*Function)(T, T), bool Ordered>
[[gnu::noinline]] void compare_warps(const Affine& a, const Affine& b, Warp& w, std::uint32_t (&bits)[most_warps]) {
    const Lockstep& lockstep = w.block->lockstep;
    if constexpr (Ordered && sizeof(T) == 4) {
        // From warp to warp the extremes grow by the same amount.
        if (fits<T>(extremes<Extent::block, T>(a, w)) && fits<T>(extremes<Extent::block, T>(b, w))) {
            const Extremes x = extremes<Extent::warp, T>(a, w), y = extremes<Extent::warp, T>(b, w);
            const std::int64_t right = static_cast<std::int32_t>(b.warp), left = static_cast<std::int32_t>(a.warp);
            for (std::uint32_t k = lockstep.first; k <= lockstep.last; ++k) {
                const auto x_low = static_cast<T>(x.low + k * left), x_high = static_cast<T>(x.high + k * left);
                const auto y_low = static_cast<T>(y.low + k * right), y_high = static_cast<T>(y.high + k * right);
                const int held = Function(x_low, y_low) + Function(x_low, y_high) + Function(x_high, y_low) +
                                 Function(x_high, y_high);
                if (held == 0 || held == 4) {
                    bits[k] = held == 0 ? 0 : full_mask;
                } else {
                    bits[k] = compare_expanded<T, Function>(a.of_warp(k), b.of_warp(k));
                }
            }
            return;
        }
    }
    for (std::uint32_t k = lockstep.first; k <= lockstep.last; ++k)
        bits[k] = compare_warp<T, Function, Ordered>(a.of_warp(k), b.of_warp(k), w);
}

template <Extent E, class T, bool (*Function)(T, T), bool Ordered>
const Instruction* run_compare(const Instruction* i, Warp& w) {
    const Affine &a = affine(w, i->a), &b = affine(w, i->b);
    if constexpr (E == Extent::warp) {
        set_predicate(w, i->d, compare_warp<T, Function, Ordered>(a, b, w));
        return finish_guarded(i, w);
    } else {
        const Truth truth = compare_extremes<E, T, Function, Ordered>(a, b, w);
        if (truth == Truth::mixed) {
            std::uint32_t bits[most_warps];
            compare_warps<T, Function, Ordered>(a, b, w, bits);
            for_each_active_warp(w, [&](Warp& each) { set_predicate(each, i->d, bits[each.index]); });
        } else {
            const std::uint32_t bits = truth == Truth::all ? full_mask : 0;
            for_each_active_warp(w, [&](Warp& each) { set_predicate(each, i->d, bits); });
        }
        return next(i, w);
    }
}

template <class T, bool (*Function)(T, T), bool Ordered>
[[gnu::noinline]] const Instruction* branch_apart(const Instruction* i, Warp& w) {
    std::uint32_t bits[most_warps];
    compare_warps<T, Function, Ordered>(affine(w, i->a), affine(w, i->b), w, bits);
    return branch_in_lockstep(i + 1, w, bits, i);
}

/// In lockstep, with the branch after it.
template <class T, bool (*Function)(T, T), bool Ordered>
const Instruction* run_compare_branch(const Instruction* i, Warp& w) {
    const Instruction* const branch = i + 1;
    const Truth truth = compare_extremes<Extent::block, T, Function, Ordered>(affine(w, i->a), affine(w, i->b), w);
    if (truth == Truth::mixed) return branch_apart<T, Function, Ordered>(i, w);
    const bool negated = (branch->guard & 1) != 0;
    return (truth == Truth::all) != negated ? go_to_in_lockstep(branch, w, branch->target) : next(branch, w);
}

template <class T, bool (*Function)(T, T), bool Ordered>
AffineForms compare_forms() {
    return {run_compare<Extent::warp, T, Function, Ordered>, run_compare<Extent::block, T, Function, Ordered>,
            run_compare_branch<T, Function, Ordered>};
}
template <class T>
AffineForms comparison(const AffineQuery& q) {
    if (q.has(Mod::eq)) return compare_forms<T, compare_eq<T>, false>();
    if (q.has(Mod::ne)) return compare_forms<T, compare_ne<T>, false>();
    if (q.has(Mod::lt) || q.has(Mod::lo)) return compare_forms<T, compare_lt<T>, true>();
    if (q.has(Mod::le) || q.has(Mod::ls)) return compare_forms<T, compare_le<T>, true>();
    if (q.has(Mod::gt) || q.has(Mod::hi)) return compare_forms<T, compare_gt<T>, true>();
    if (q.has(Mod::ge) || q.has(Mod::hs)) return compare_forms<T, compare_ge<T>, true>();
    return {};
}

}  // namespace

AffineChoice affine_form::setp(const AffineQuery& q) {
    if (q.written.operands.size() != 3 || q.written.operands[0].kind != ptx::Operand::Kind::name) return {};
    if (widest(q, 2) == Shape::lanes) return {};
    switch (q.type()) {
        case u32:
        case b32:
            return {comparison<std::uint32_t>(q)};
        case s32:
            return {comparison<std::int32_t>(q)};
        case u64:
        case b64:
            return {comparison<std::uint64_t>(q)};
        case s64:
            return {comparison<std::int64_t>(q)};
        default:
            return {};
    }
}

}  // namespace cudash::virtual_gpu
