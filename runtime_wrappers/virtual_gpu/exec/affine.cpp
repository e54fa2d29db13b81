// The affine forms of integer instructions. Sums and products with a uniform factor act on base, step and half alone,
// modulo a power of two, and so give exactly the lanes that the plain forms give. Each exists for one warp and for all
// warps of a block.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/exec/affine_handlers.h"
#include "runtime_wrappers/virtual_gpu/exec/affine_memory.h"
#include "runtime_wrappers/virtual_gpu/exec/special_registers.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

/// The 32-bit lanes of `a` as 64-bit ones, by their sign or with zeros; false if that is not a progression.
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

}  // namespace

AffineChoice affine_form::add(const AffineQuery& q) {
    if (q.has(Mod::sat) || q.has(Mod::cc)) return {};
    return linear(q, 2, CUDASH_FORMS(run_sum, Lane32), CUDASH_FORMS(run_sum, Lane64));
}
AffineChoice affine_form::sub(const AffineQuery& q) {
    if (q.has(Mod::sat) || q.has(Mod::cc)) return {};
    return linear(q, 2, CUDASH_FORMS(run_difference, Lane32), CUDASH_FORMS(run_difference, Lane64));
}
AffineChoice affine_form::mul(const AffineQuery& q) {
    return choose_product(q, false);
}
AffineChoice affine_form::mad(const AffineQuery& q) {
    return choose_product(q, true);
}
AffineChoice affine_form::shl(const AffineQuery& q) {
    if (q.sources[1] > Shape::uniform) return {};
    return linear(q, 2, CUDASH_FORMS(run_shift, Lane32), CUDASH_FORMS(run_shift, Lane64));
}
AffineChoice affine_form::mov(const AffineQuery& q) {
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
AffineChoice affine_form::cvta(const AffineQuery& q) {
    return q.type() == u64 ? linear(q, 1, {}, CUDASH_FORMS(run_add_window)) : AffineChoice{};
}
AffineChoice affine_form::cvt(const AffineQuery& q) {
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

AffineChoice affine_form::logic_and(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<b32, b64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, bits_and<T>>::run;
                  }));
}
AffineChoice affine_form::logic_or(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<b32, b64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, bits_or<T>>::run;
                  }));
}
AffineChoice affine_form::logic_xor(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<b32, b64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, bits_xor<T>>::run;
                  }));
}
AffineChoice affine_form::shr(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<u32, s32, b32, u64, s64, b64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::shr<T>>::run;
                  }));
}
AffineChoice affine_form::min(const AffineQuery& q) {
    if (q.has(Mod::relu)) return {};
    return scalar(q, 2, forms_for_type<u32, s32, u64, s64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::min<T>>::run;
                  }));
}
AffineChoice affine_form::max(const AffineQuery& q) {
    if (q.has(Mod::relu)) return {};
    return scalar(q, 2, forms_for_type<u32, s32, u64, s64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::max<T>>::run;
                  }));
}
AffineChoice affine_form::div(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<u32, s32, u64, s64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::div<T>>::run;
                  }));
}
AffineChoice affine_form::rem(const AffineQuery& q) {
    return scalar(q, 2, forms_for_type<u32, s32, u64, s64>(q.type(), []<Extent E, class T>() -> Handler {
                      return Uniform<E, semantics::rem<T>>::run;
                  }));
}

AffineChoice affine_form::ld(const AffineQuery& q) {
    if (!q.kernel_parameter) return {q.address == Shape::lanes ? AffineForms{} : affine_load(q)};
    // A generic address of a parameter is not a place in the parameters.
    const bool in_parameters = !q.modifiers.spaces.empty() && q.modifiers.spaces.front() == ptx::Space::param;
    if (!in_parameters || q.written.operands[0].kind != ptx::Operand::Kind::name) return {};
    if (is_word(q.type()) && q.destination_bytes == 4)
        return {CUDASH_FORMS(run_parameter, Lane32), Shape::uniform, true};
    if (is_long(q.type()) && q.destination_bytes == 8)
        return {CUDASH_FORMS(run_parameter, Lane64), Shape::uniform, true};
    return {};
}
AffineChoice affine_form::st(const AffineQuery& q) {
    return {q.address == Shape::lanes ? AffineForms{} : affine_store(q)};
}

}  // namespace cudash::virtual_gpu
