// The affine forms of integer instructions. Sums and products with a uniform factor act on base, step and half alone,
// modulo a power of two, and so give exactly the lanes that the plain forms give. Each exists for one warp and for all
// warps of a block.
#include "runtime_wrappers/virtual_gpu/exec/affine.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/exec/affine_memory.h"
#include "runtime_wrappers/virtual_gpu/exec/lockstep.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/exec/special_registers.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

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
inline Extremes extremes(const Affine& a, const Warp& w) {
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

/// The 32-bit lanes of `a` as 64-bit ones, by their sign or with zeros; false if that is no progression.
template <Extent E, class T>
inline bool widened(const Affine& a, const Warp& w, Affine& wide) {
    auto extended = [](std::uint64_t value) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
    };
    wide = {static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<T>(a.base))), extended(a.step),
            extended(a.half), extended(a.warp)};
    return fits<T>(extremes<E, T>(a, w));
}

template <Extent E, class L>
const Instruction* run_copy(const Instruction* i, Warp& w) {
    return finish<E, L>(i, w, affine(w, i->a));
}
template <Extent E, class L>
const Instruction* run_sum(const Instruction* i, Warp& w) {
    return finish<E, L>(i, w, sum(affine(w, i->a), affine(w, i->b)));
}
template <Extent E, class L>
const Instruction* run_difference(const Instruction* i, Warp& w) {
    return finish<E, L>(i, w, sum(affine(w, i->a), scaled(affine(w, i->b), ~std::uint64_t{0})));
}
/// cvta: adds the window's begin.
template <Extent E>
const Instruction* run_add_window(const Instruction* i, Warp& w) {
    Affine value = affine(w, i->a);
    value.base += static_cast<std::uint64_t>(i->immediate);
    return finish<E, Lane64>(i, w, value);
}

/// One of the factors is uniform.
template <Extent E, class L>
inline Affine product(const Affine& a, const Affine& b) {
    const std::uint64_t warp = E == Extent::block ? b.warp : 0;
    const bool b_uniform = static_cast<L>(b.step | b.half | warp) == 0;
    return b_uniform ? scaled(a, b.base) : scaled(b, a.base);
}
template <Extent E, class L>
const Instruction* run_product(const Instruction* i, Warp& w) {
    return finish<E, L>(i, w, product<E, L>(affine(w, i->a), affine(w, i->b)));
}
template <Extent E, class L>
const Instruction* run_product_sum(const Instruction* i, Warp& w) {
    return finish<E, L>(i, w, sum(product<E, L>(affine(w, i->a), affine(w, i->b)), affine(w, i->c)));
}
template <Extent E, class T, bool Add>
const Instruction* run_wide_product(const Instruction* i, Warp& w) {
    Affine a, b;
    if (!widened<E, T>(affine(w, i->a), w, a) || !widened<E, T>(affine(w, i->b), w, b)) [[unlikely]]
        return leave<E>(i, w);
    Affine value = product<E, Lane64>(a, b);
    if constexpr (Add) value = sum(value, affine(w, i->c));
    return finish<E, Lane64>(i, w, value);
}
template <Extent E, class T>
const Instruction* run_widen(const Instruction* i, Warp& w) {
    Affine value;
    if (!widened<E, T>(affine(w, i->a), w, value)) [[unlikely]]
        return leave<E>(i, w);
    return finish<E, Lane64>(i, w, value);
}
template <Extent E, class T>
const Instruction* run_shift(const Instruction* i, Warp& w) {
    const auto amount = static_cast<std::uint32_t>(affine(w, i->b).base);
    return finish<E, T>(i, w, scaled(affine(w, i->a), amount < bits_of<T> ? std::uint64_t{1} << amount : 0));
}

/// Any function of values that are the same in all lanes.
template <Extent E, auto Function>
struct Uniform;
template <Extent E, class R, class... A, R (*Function)(A...)>
struct Uniform<E, Function> {
    static const Instruction* run(const Instruction* i, Warp& w) {
        return apply(i, w, std::index_sequence_for<A...>{});
    }

private:
    template <std::size_t... N>
    static const Instruction* apply(const Instruction* i, Warp& w, std::index_sequence<N...>) {
        const std::uint32_t offsets[] = {i->a, i->b, i->c};
        Affine value;
        value.base = to_lane<R>(Function(from_lane<A>(static_cast<Lane<A>>(affine(w, offsets[N]).base))...));
        return finish<E, Lane<R>>(i, w, value);
    }
};

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

template <Extent E, class L>
const Instruction* run_parameter(const Instruction* i, Warp& w) {
    L bits;
    std::memcpy(&bits, w.block->launch->parameters.data() + i->immediate, sizeof bits);
    Affine value;
    value.base = bits;
    return finish<E, L>(i, w, value);
}

template <Extent E, unsigned Axis>
const Instruction* run_tid(const Instruction* i, Warp& w) {
    return finish<E, Lane32>(i, w, w.affine_tid[Axis]);
}
template <Extent E>
const Instruction* run_lane(const Instruction* i, Warp& w) {
    Affine value;
    value.step = 1;
    value.half = 16;
    return finish<E, Lane32>(i, w, value);
}
template <Extent E, class L>
const Instruction* run_uniform_special(const Instruction* i, Warp& w) {
    Affine value;
    value.base = uniform_special_register(i->option, w, i);
    return finish<E, L>(i, w, value);
}

// The rows.

template <class Pick>
AffineForms forms(Pick pick) {
    return {pick.template operator()<Extent::warp>(), pick.template operator()<Extent::block>()};
}
/// forms() for one of the types, none for others.
template <ptx::Type... Types, class Pick>
AffineForms forms_for_type(ptx::Type type, Pick pick) {
    return forms([&]<Extent E>() {
        return for_type<Types...>(type, [&]<class T>() -> Handler { return pick.template operator()<E, T>(); });
    });
}
#define CUDASH_FORMS(function, ...) forms([]<Extent E>() -> Handler { return function<E __VA_OPT__(, ) __VA_ARGS__>; })

bool is_word(ptx::Type type) {
    return type == u32 || type == s32 || type == b32;
}
bool is_long(ptx::Type type) {
    return type == u64 || type == s64 || type == b64;
}
/// The larger of the first `count` sources, or unknown if one of them is.
Shape widest(const AffineQuery& q, unsigned count) {
    Shape shape = Shape::uniform;
    for (unsigned s = 0; s < count; ++s) {
        if (q.sources[s] == Shape::unknown) return Shape::unknown;
        shape = std::max(shape, q.sources[s]);
    }
    return shape;
}
AffineChoice linear(const AffineQuery& q, unsigned count, AffineForms words, AffineForms longs) {
    const Shape shape = widest(q, count);
    if (shape == Shape::lanes) return {};
    if (is_word(q.type())) return {words, shape, true};
    return is_long(q.type()) ? AffineChoice{longs, shape, true} : AffineChoice{};
}
/// Only of uniform sources.
AffineChoice scalar(const AffineQuery& q, unsigned count, AffineForms handlers) {
    const Shape shape = widest(q, count);
    if (shape > Shape::uniform || !handlers) return {};
    return {handlers, shape, true};
}

AffineChoice choose_add(const AffineQuery& q) {
    if (q.has(Mod::sat) || q.has(Mod::cc)) return {};
    return linear(q, 2, CUDASH_FORMS(run_sum, Lane32), CUDASH_FORMS(run_sum, Lane64));
}
AffineChoice choose_sub(const AffineQuery& q) {
    if (q.has(Mod::sat) || q.has(Mod::cc)) return {};
    return linear(q, 2, CUDASH_FORMS(run_difference, Lane32), CUDASH_FORMS(run_difference, Lane64));
}
AffineChoice choose_product(const AffineQuery& q, bool add) {
    if (q.has(Mod::sat) || q.has(Mod::cc) || q.has(Mod::hi)) return {};
    const Shape shape = widest(q, add ? 3 : 2);
    if (shape == Shape::lanes || (q.sources[0] == Shape::affine && q.sources[1] == Shape::affine)) return {};
    if (q.has(Mod::wide)) {
        if (q.type() == s32)
            return {add ? CUDASH_FORMS(run_wide_product, std::int32_t, true)
                        : CUDASH_FORMS(run_wide_product, std::int32_t, false),
                    shape};
        if (q.type() == u32)
            return {add ? CUDASH_FORMS(run_wide_product, std::uint32_t, true)
                        : CUDASH_FORMS(run_wide_product, std::uint32_t, false),
                    shape};
        return {};
    }
    return add ? linear(q, 3, CUDASH_FORMS(run_product_sum, Lane32), CUDASH_FORMS(run_product_sum, Lane64))
               : linear(q, 2, CUDASH_FORMS(run_product, Lane32), CUDASH_FORMS(run_product, Lane64));
}
AffineChoice choose_mul(const AffineQuery& q) {
    return choose_product(q, false);
}
AffineChoice choose_mad(const AffineQuery& q) {
    return choose_product(q, true);
}
AffineChoice choose_shl(const AffineQuery& q) {
    if (q.sources[1] > Shape::uniform) return {};
    return linear(q, 2, CUDASH_FORMS(run_shift, Lane32), CUDASH_FORMS(run_shift, Lane64));
}
AffineChoice choose_mov(const AffineQuery& q) {
    if (q.written.operands.size() == 2) {
        const std::string& from = q.written.operands[1].name;
        if (q.destination_bytes == 4 && (q.type() == u32 || q.type() == s32 || q.type() == b32)) {
            if (from == "%tid.x") return {CUDASH_FORMS(run_tid, 0), Shape::affine, true};
            if (from == "%tid.y") return {CUDASH_FORMS(run_tid, 1), Shape::affine, true};
            if (from == "%tid.z") return {CUDASH_FORMS(run_tid, 2), Shape::affine, true};
            if (from == "%laneid") return {CUDASH_FORMS(run_lane), Shape::affine, true};
        }
        if (is_uniform_special_register(from) && (is_word(q.type()) || is_long(q.type())))
            return {q.destination_bytes == 8 ? CUDASH_FORMS(run_uniform_special, Lane64)
                                             : CUDASH_FORMS(run_uniform_special, Lane32),
                    Shape::uniform, from.starts_with("%ntid") || from.starts_with("%nctaid")};
    }
    return linear(q, 1, CUDASH_FORMS(run_copy, Lane32), CUDASH_FORMS(run_copy, Lane64));
}
AffineChoice choose_cvta(const AffineQuery& q) {
    return q.type() == u64 ? linear(q, 1, {}, CUDASH_FORMS(run_add_window)) : AffineChoice{};
}
AffineChoice choose_cvt(const AffineQuery& q) {
    const ptx::Type to = q.type(0), from = q.type(1);
    const Shape shape = widest(q, 1);
    if (shape == Shape::lanes || q.has(Mod::sat)) return {};
    if (q.destination_bytes != (is_long(to) ? 8 : 4)) return {};  // a wider register takes the extended value
    if (is_word(to) && (is_word(from) || is_long(from))) return {CUDASH_FORMS(run_copy, Lane32), shape, true};
    if (is_long(to) && is_long(from)) return {CUDASH_FORMS(run_copy, Lane64), shape, true};
    if (!is_long(to) || q.source_bytes == 8) return {};
    if (from == s32) return {CUDASH_FORMS(run_widen, std::int32_t), shape};
    return from == u32 ? AffineChoice{CUDASH_FORMS(run_widen, std::uint32_t), shape} : AffineChoice{};
}

AffineChoice choose_and(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<b32, b64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, bits_and<T>>::run;
                  }));
}
AffineChoice choose_or(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<b32, b64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, bits_or<T>>::run;
                  }));
}
AffineChoice choose_xor(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<b32, b64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, bits_xor<T>>::run;
                  }));
}
AffineChoice choose_shr(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<u32, s32, b32, u64, s64, b64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::shr<T>>::run;
                  }));
}
AffineChoice choose_min(const AffineQuery& q) {
    if (q.has(Mod::relu)) return {};
    return scalar(q, 2, forms_for_type<u32, s32, u64, s64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::min<T>>::run;
                  }));
}
AffineChoice choose_max(const AffineQuery& q) {
    if (q.has(Mod::relu)) return {};
    return scalar(q, 2, forms_for_type<u32, s32, u64, s64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::max<T>>::run;
                  }));
}
AffineChoice choose_div(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<u32, s32, u64, s64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::div<T>>::run;
                  }));
}
AffineChoice choose_rem(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<u32, s32, u64, s64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::rem<T>>::run;
                  }));
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
AffineChoice choose_setp(const AffineQuery& q) {
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

AffineChoice choose_ld(const AffineQuery& q) {
    if (!q.kernel_parameter) return {q.address == Shape::lanes ? AffineForms{} : affine_load(q)};
    // A generic address of a parameter is no place in the parameters.
    const bool in_parameters = !q.modifiers.spaces.empty() && q.modifiers.spaces.front() == ptx::Space::param;
    if (!in_parameters || q.written.operands[0].kind != ptx::Operand::Kind::name) return {};
    if (is_word(q.type()) && q.destination_bytes == 4)
        return {CUDASH_FORMS(run_parameter, Lane32), Shape::uniform, true};
    if (is_long(q.type()) && q.destination_bytes == 8)
        return {CUDASH_FORMS(run_parameter, Lane64), Shape::uniform, true};
    return {};
}
AffineChoice choose_st(const AffineQuery& q) {
    return {q.address == Shape::lanes ? AffineForms{} : affine_store(q)};
}

#undef CUDASH_FORMS

constexpr struct {
    std::string_view mnemonic;
    ChooseAffine choose;
} rows[] = {
    {"add", choose_add},   {"sub", choose_sub}, {"mul", choose_mul}, {"mad", choose_mad},   {"shl", choose_shl},
    {"mov", choose_mov},   {"cvt", choose_cvt}, {"and", choose_and}, {"or", choose_or},     {"xor", choose_xor},
    {"shr", choose_shr},   {"min", choose_min}, {"max", choose_max}, {"div", choose_div},   {"rem", choose_rem},
    {"setp", choose_setp}, {"ld", choose_ld},   {"st", choose_st},   {"cvta", choose_cvta},
};

}  // namespace

ChooseAffine find_affine_form(std::string_view mnemonic) {
    for (const auto& row : rows)
        if (row.mnemonic == mnemonic) return row.choose;
    return nullptr;
}

}  // namespace cudash::virtual_gpu
