// The affine forms of integer instructions. Sums and products with a uniform factor act on base, step and half alone,
// modulo a power of two, and so give exactly the lanes that the plain forms give.
#include "runtime_wrappers/virtual_gpu/exec/affine.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/exec/affine_memory.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/exec/special_registers.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

/// The lanes of d are written too, where somebody reads them.
template <class L>
[[gnu::noinline]] const Instruction* run_mirror(const Instruction* i, Warp& w) {
    const Affine& value = affine(w, i->d);
    if (w.mask == full_mask) {
        expand(value, lanes<L>(w, i->extra));
    } else {
        alignas(64) L all[warp_size];
        expand(value, all);
        write_lanes<L>(w, lanes<L>(w, i->extra), [&](unsigned l) { return all[l]; });
    }
    return i + 1;
}

/// In an affine form d, a, b and c are places of affine registers, `extra` is the place of d's lanes if somebody reads
/// them, and `count` tells that d is read outside its basic block.
template <class L>
[[gnu::always_inline]] inline const Instruction* finish(const Instruction* i, Warp& w, const Affine& value) {
    // Lanes that are elsewhere may still need what they have in d.
    if (i->count && w.mask != w.live) [[unlikely]]
        return w.leave_affine(i);
    Affine& d = affine(w, i->d);
    d.base = value.base;
    d.step = value.step;
    d.half = value.half;
    if (i->extra != no_index) [[unlikely]]
        return run_mirror<L>(i, w);
    return next(i, w);
}
/// As finish, for what writes a predicate or memory: it may have a guard, and `count` tells that it has none.
[[gnu::always_inline]] inline const Instruction* finish_guarded(const Instruction* i, Warp& w) {
    return i->count ? next(i, w) : i + 1;
}

inline Affine sum(const Affine& a, const Affine& b) {
    return {a.base + b.base, a.step + b.step, a.half + b.half};
}
inline Affine scaled(const Affine& a, std::uint64_t factor) {
    return {a.base * factor, a.step * factor, a.half * factor};
}

/// The 32-bit lanes of `a` as 64-bit ones, by their sign or with zeros; false if that is no progression.
template <class T>
inline bool widened(const Affine& a, Affine& wide) {
    const std::int64_t base = static_cast<T>(a.base);
    const std::int64_t step = static_cast<std::int32_t>(a.step), half = static_cast<std::int32_t>(a.half);
    const std::int64_t reach = 15 * step;
    const std::int64_t low = base + std::min<std::int64_t>(reach, 0) + std::min<std::int64_t>(half, 0);
    const std::int64_t high = base + std::max<std::int64_t>(reach, 0) + std::max<std::int64_t>(half, 0);
    wide = {static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(half)};
    return low >= std::numeric_limits<T>::min() && high <= std::numeric_limits<T>::max();
}

template <class L>
const Instruction* run_copy(const Instruction* i, Warp& w) {
    return finish<L>(i, w, affine(w, i->a));
}
template <class L>
const Instruction* run_sum(const Instruction* i, Warp& w) {
    return finish<L>(i, w, sum(affine(w, i->a), affine(w, i->b)));
}
template <class L>
const Instruction* run_difference(const Instruction* i, Warp& w) {
    return finish<L>(i, w, sum(affine(w, i->a), scaled(affine(w, i->b), ~std::uint64_t{0})));
}
/// cvta: adds the window's begin.
const Instruction* run_add_window(const Instruction* i, Warp& w) {
    Affine value = affine(w, i->a);
    value.base += static_cast<std::uint64_t>(i->immediate);
    return finish<Lane64>(i, w, value);
}

/// One of the factors is uniform.
template <class L>
inline Affine product(const Affine& a, const Affine& b) {
    const bool b_uniform = sizeof(L) == 8 ? b.uniform() : b.uniform32();
    return b_uniform ? scaled(a, b.base) : scaled(b, a.base);
}
template <class L>
const Instruction* run_product(const Instruction* i, Warp& w) {
    return finish<L>(i, w, product<L>(affine(w, i->a), affine(w, i->b)));
}
template <class L>
const Instruction* run_product_sum(const Instruction* i, Warp& w) {
    return finish<L>(i, w, sum(product<L>(affine(w, i->a), affine(w, i->b)), affine(w, i->c)));
}
template <class T, bool Add>
const Instruction* run_wide_product(const Instruction* i, Warp& w) {
    Affine a, b;
    if (!widened<T>(affine(w, i->a), a) || !widened<T>(affine(w, i->b), b)) [[unlikely]]
        return w.leave_affine(i);
    Affine value = product<Lane64>(a, b);
    if constexpr (Add) value = sum(value, affine(w, i->c));
    return finish<Lane64>(i, w, value);
}
template <class T>
const Instruction* run_widen(const Instruction* i, Warp& w) {
    Affine value;
    if (!widened<T>(affine(w, i->a), value)) [[unlikely]]
        return w.leave_affine(i);
    return finish<Lane64>(i, w, value);
}
template <class T>
const Instruction* run_shift(const Instruction* i, Warp& w) {
    const auto amount = static_cast<std::uint32_t>(affine(w, i->b).base);
    return finish<T>(i, w, scaled(affine(w, i->a), amount < bits_of<T> ? std::uint64_t{1} << amount : 0));
}

/// Any function of values that are the same in all lanes.
template <auto Function>
struct Uniform;
template <class R, class... A, R (*Function)(A...)>
struct Uniform<Function> {
    static const Instruction* run(const Instruction* i, Warp& w) {
        return apply(i, w, std::index_sequence_for<A...>{});
    }

private:
    template <std::size_t... N>
    static const Instruction* apply(const Instruction* i, Warp& w, std::index_sequence<N...>) {
        const std::uint32_t offsets[] = {i->a, i->b, i->c};
        Affine value;
        value.base = to_lane<R>(Function(from_lane<A>(static_cast<Lane<A>>(affine(w, offsets[N]).base))...));
        return finish<Lane<R>>(i, w, value);
    }
};

/// The least and greatest lane; false: the lanes wrap around.
template <class T>
inline bool range_of(const Affine& a, std::int64_t& low, std::int64_t& high) {
    if constexpr (sizeof(T) == 8) {
        low = high = static_cast<std::int64_t>(a.base);
        return a.uniform() && std::is_signed_v<T>;
    } else {
        if (a.uniform32()) {
            low = high = static_cast<T>(a.base);
            return true;
        }
        Affine wide;
        if (!widened<T>(a, wide)) return false;
        const auto base = static_cast<std::int64_t>(wide.base), half = static_cast<std::int64_t>(wide.half);
        const std::int64_t reach = 15 * static_cast<std::int64_t>(wide.step);
        low = base + std::min<std::int64_t>(reach, 0) + std::min<std::int64_t>(half, 0);
        high = base + std::max<std::int64_t>(reach, 0) + std::max<std::int64_t>(half, 0);
        return true;
    }
}

template <class T, bool (*Function)(T, T)>
[[gnu::noinline]] std::uint32_t compare_expanded(const Affine& a, const Affine& b) {
    alignas(64) Lane<T> left[warp_size], right[warp_size];
    expand(a, left);
    expand(b, right);
    return compare_lanes<T, Function>(left, right);
}

/// `Ordered`: of <, <=, >, >=. What holds for all four pairs of extremes holds for every pair of lanes; equality fails
/// for all where the ranges have nothing in common.
template <class T, bool (*Function)(T, T), bool Ordered>
const Instruction* run_compare(const Instruction* i, Warp& w) {
    const Affine &a = affine(w, i->a), &b = affine(w, i->b);
    using L = Lane<T>;
    if (static_cast<L>(a.step | a.half | b.step | b.half) == 0) {
        const bool truth = Function(static_cast<T>(a.base), static_cast<T>(b.base));
        set_predicate(w, i->d, truth ? full_mask : 0);
        return finish_guarded(i, w);
    }
    std::int64_t low_a, high_a, low_b, high_b;
    if (range_of<T>(a, low_a, high_a) && range_of<T>(b, low_b, high_b)) {
        const bool truth = Function(static_cast<T>(low_a), static_cast<T>(low_b));
        if constexpr (!Ordered) {
            if (high_a < low_b || high_b < low_a) {
                set_predicate(w, i->d, truth ? full_mask : 0);
                return finish_guarded(i, w);
            }
        } else {
            if (truth == Function(static_cast<T>(low_a), static_cast<T>(high_b)) &&
                truth == Function(static_cast<T>(high_a), static_cast<T>(low_b)) &&
                truth == Function(static_cast<T>(high_a), static_cast<T>(high_b))) {
                set_predicate(w, i->d, truth ? full_mask : 0);
                return finish_guarded(i, w);
            }
        }
    }
    set_predicate(w, i->d, compare_expanded<T, Function>(a, b));
    return finish_guarded(i, w);
}

template <class L>
const Instruction* run_parameter(const Instruction* i, Warp& w) {
    L bits;
    std::memcpy(&bits, w.block->launch->parameters.data() + i->immediate, sizeof bits);
    Affine value;
    value.base = bits;
    return finish<L>(i, w, value);
}

template <unsigned Axis>
const Instruction* run_tid(const Instruction* i, Warp& w) {
    return finish<Lane32>(i, w, w.affine_tid[Axis]);
}
const Instruction* run_lane(const Instruction* i, Warp& w) {
    Affine value;
    value.step = 1;
    value.half = 16;
    return finish<Lane32>(i, w, value);
}
template <class L>
const Instruction* run_uniform_special(const Instruction* i, Warp& w) {
    Affine value;
    value.base = uniform_special_register(i->option, w, i);
    return finish<L>(i, w, value);
}

// The rows.

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
AffineChoice linear(const AffineQuery& q, unsigned count, Handler words, Handler longs) {
    const Shape shape = widest(q, count);
    if (shape == Shape::lanes) return {};
    if (is_word(q.type())) return {words, shape, true};
    return is_long(q.type()) ? AffineChoice{longs, shape, true} : AffineChoice{};
}
/// Only of uniform sources.
AffineChoice scalar(const AffineQuery& q, unsigned count, Handler handler) {
    const Shape shape = widest(q, count);
    if (shape > Shape::uniform || !handler) return {};
    return {handler, shape, true};
}

AffineChoice choose_add(const AffineQuery& q) {
    if (q.has(Mod::sat) || q.has(Mod::cc)) return {};
    return linear(q, 2, run_sum<Lane32>, run_sum<Lane64>);
}
AffineChoice choose_sub(const AffineQuery& q) {
    if (q.has(Mod::sat) || q.has(Mod::cc)) return {};
    return linear(q, 2, run_difference<Lane32>, run_difference<Lane64>);
}
AffineChoice choose_product(const AffineQuery& q, bool add) {
    if (q.has(Mod::sat) || q.has(Mod::cc) || q.has(Mod::hi)) return {};
    const Shape shape = widest(q, add ? 3 : 2);
    if (shape == Shape::lanes || (q.sources[0] == Shape::affine && q.sources[1] == Shape::affine)) return {};
    if (q.has(Mod::wide)) {
        if (q.type() == s32)
            return {add ? run_wide_product<std::int32_t, true> : run_wide_product<std::int32_t, false>, shape};
        if (q.type() == u32)
            return {add ? run_wide_product<std::uint32_t, true> : run_wide_product<std::uint32_t, false>, shape};
        return {};
    }
    return add ? linear(q, 3, run_product_sum<Lane32>, run_product_sum<Lane64>)
               : linear(q, 2, run_product<Lane32>, run_product<Lane64>);
}
AffineChoice choose_mul(const AffineQuery& q) {
    return choose_product(q, false);
}
AffineChoice choose_mad(const AffineQuery& q) {
    return choose_product(q, true);
}
AffineChoice choose_shl(const AffineQuery& q) {
    if (q.sources[1] > Shape::uniform) return {};
    return linear(q, 2, run_shift<Lane32>, run_shift<Lane64>);
}
AffineChoice choose_mov(const AffineQuery& q) {
    if (q.written.operands.size() == 2) {
        const std::string& from = q.written.operands[1].name;
        if (q.destination_bytes == 4 && (q.type() == u32 || q.type() == s32 || q.type() == b32)) {
            if (from == "%tid.x") return {run_tid<0>, Shape::affine, true};
            if (from == "%tid.y") return {run_tid<1>, Shape::affine, true};
            if (from == "%tid.z") return {run_tid<2>, Shape::affine, true};
            if (from == "%laneid") return {run_lane, Shape::affine, true};
        }
        if (is_uniform_special_register(from) && (is_word(q.type()) || is_long(q.type())))
            return {q.destination_bytes == 8 ? run_uniform_special<Lane64> : run_uniform_special<Lane32>,
                    Shape::uniform, from.starts_with("%ntid") || from.starts_with("%nctaid")};
    }
    return linear(q, 1, run_copy<Lane32>, run_copy<Lane64>);
}
AffineChoice choose_cvta(const AffineQuery& q) {
    return q.type() == u64 ? linear(q, 1, nullptr, run_add_window) : AffineChoice{};
}
AffineChoice choose_cvt(const AffineQuery& q) {
    const ptx::Type to = q.type(0), from = q.type(1);
    const Shape shape = widest(q, 1);
    if (shape == Shape::lanes || q.has(Mod::sat)) return {};
    if (q.destination_bytes != (is_long(to) ? 8 : 4)) return {};  // a wider register takes the extended value
    if (is_word(to) && (is_word(from) || is_long(from))) return {run_copy<Lane32>, shape, true};
    if (is_long(to) && is_long(from)) return {run_copy<Lane64>, shape, true};
    if (!is_long(to) || q.source_bytes == 8) return {};
    if (from == s32) return {run_widen<std::int32_t>, shape};
    return from == u32 ? AffineChoice{run_widen<std::uint32_t>, shape} : AffineChoice{};
}

AffineChoice choose_and(const AffineQuery& q) {
    return scalar(q, 2, for_type<b32, b64>(q.type(), []<class T>() -> Handler { return Uniform<bits_and<T>>::run; }));
}
AffineChoice choose_or(const AffineQuery& q) {
    return scalar(q, 2, for_type<b32, b64>(q.type(), []<class T>() -> Handler { return Uniform<bits_or<T>>::run; }));
}
AffineChoice choose_xor(const AffineQuery& q) {
    return scalar(q, 2, for_type<b32, b64>(q.type(), []<class T>() -> Handler { return Uniform<bits_xor<T>>::run; }));
}
AffineChoice choose_shr(const AffineQuery& q) {
    return scalar(q, 2, for_type<u32, s32, b32, u64, s64, b64>(q.type(), []<class T>() -> Handler {
                      return Uniform<semantics::shr<T>>::run;
                  }));
}
AffineChoice choose_min(const AffineQuery& q) {
    if (q.has(Mod::relu)) return {};
    return scalar(q, 2, for_type<u32, s32, u64, s64>(q.type(), []<class T>() -> Handler {
                      return Uniform<semantics::min<T>>::run;
                  }));
}
AffineChoice choose_max(const AffineQuery& q) {
    if (q.has(Mod::relu)) return {};
    return scalar(q, 2, for_type<u32, s32, u64, s64>(q.type(), []<class T>() -> Handler {
                      return Uniform<semantics::max<T>>::run;
                  }));
}
AffineChoice choose_div(const AffineQuery& q) {
    return scalar(q, 2, for_type<u32, s32, u64, s64>(q.type(), []<class T>() -> Handler {
                      return Uniform<semantics::div<T>>::run;
                  }));
}
AffineChoice choose_rem(const AffineQuery& q) {
    return scalar(q, 2, for_type<u32, s32, u64, s64>(q.type(), []<class T>() -> Handler {
                      return Uniform<semantics::rem<T>>::run;
                  }));
}

template <class T>
Handler comparison(const AffineQuery& q) {
    if (q.has(Mod::eq)) return run_compare<T, compare_eq<T>, false>;
    if (q.has(Mod::ne)) return run_compare<T, compare_ne<T>, false>;
    if (q.has(Mod::lt) || q.has(Mod::lo)) return run_compare<T, compare_lt<T>, true>;
    if (q.has(Mod::le) || q.has(Mod::ls)) return run_compare<T, compare_le<T>, true>;
    if (q.has(Mod::gt) || q.has(Mod::hi)) return run_compare<T, compare_gt<T>, true>;
    if (q.has(Mod::ge) || q.has(Mod::hs)) return run_compare<T, compare_ge<T>, true>;
    return nullptr;
}
AffineChoice choose_setp(const AffineQuery& q) {
    if (q.written.operands.size() != 3 || q.written.operands[0].kind != ptx::Operand::Kind::name) return {};
    if (widest(q, 2) == Shape::lanes) return {};
    return {for_type<u32, s32, b32, u64, s64, b64>(q.type(), [&]<class T>() { return comparison<T>(q); })};
}

AffineChoice choose_ld(const AffineQuery& q) {
    if (!q.kernel_parameter) return {q.address == Shape::lanes ? nullptr : affine_load(q)};
    if (q.written.operands[0].kind != ptx::Operand::Kind::name) return {};
    if (is_word(q.type()) && q.destination_bytes == 4) return {run_parameter<Lane32>, Shape::uniform, true};
    if (is_long(q.type()) && q.destination_bytes == 8) return {run_parameter<Lane64>, Shape::uniform, true};
    return {};
}
AffineChoice choose_st(const AffineQuery& q) {
    return {q.address == Shape::lanes ? nullptr : affine_store(q)};
}

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
