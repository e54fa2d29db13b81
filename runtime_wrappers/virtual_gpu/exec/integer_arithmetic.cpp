// Integer arithmetic, and the selectors of instructions that exist for integers and for floating point (add, mul, ...).
#include "runtime_wrappers/virtual_gpu/exec/float_selectors.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

/// add.cc, addc, sub.cc, subc, mad.cc, madc: the carry flag of the lanes is a predicate of the warp. add.cc begins
/// without a carry, sub.cc with one: see sub_carry.
template <class T, auto Function, bool ReadsCarry, bool WritesCarry>
const Instruction* with_carry(const Instruction* i, Warp& w) {
    auto* d = lanes<T>(w, i->d);
    auto *a = lanes<T>(w, i->a), *b = lanes<T>(w, i->b);
    for_each_lane(w.mask, [&](unsigned l) {
        const bool carry_in = ReadsCarry ? (w.carry >> l & 1) != 0 : Function == sub_carry<T>;
        auto [value, carry] = Function(from_lane<T>(a[l]), from_lane<T>(b[l]), carry_in);
        d[l] = to_lane<T>(value);
        if constexpr (WritesCarry) w.carry = (w.carry & ~(1u << l)) | std::uint32_t{carry} << l;
    });
    return i + 1;
}

/// The product's half, then the sum with carry.
template <class T, bool High, bool ReadsCarry, bool WritesCarry>
const Instruction* multiply_with_carry(const Instruction* i, Warp& w) {
    auto* d = lanes<T>(w, i->d);
    auto *a = lanes<T>(w, i->a), *b = lanes<T>(w, i->b), *c = lanes<T>(w, i->c);
    for_each_lane(w.mask, [&](unsigned l) {
        const T x = from_lane<T>(a[l]), y = from_lane<T>(b[l]);
        const bool carry_in = ReadsCarry && (w.carry >> l & 1);
        auto [value, carry] =
            add_carry<T>(High ? high_product<T>(x, y) : mul_lo<T>(x, y), from_lane<T>(c[l]), carry_in);
        d[l] = to_lane<T>(value);
        if constexpr (WritesCarry) w.carry = (w.carry & ~(1u << l)) | std::uint32_t{carry} << l;
    });
    return i + 1;
}

template <bool ReadsCarry>
void select_carry_sum(Site& site, bool subtract) {
    operands_of_type(site, site.type());
    site.run(for_type<u32, s32, b32, u64, s64, b64>(site.type(), [&]<class T>() -> Chosen {
        if (subtract) {
            return site.has(Mod::cc) ? &with_carry<T, sub_carry<T>, ReadsCarry, true>
                                     : &with_carry<T, sub_carry<T>, ReadsCarry, false>;
        }
        return site.has(Mod::cc) ? &with_carry<T, add_carry<T>, ReadsCarry, true>
                                 : &with_carry<T, add_carry<T>, ReadsCarry, false>;
    }));
}

template <bool ReadsCarry>
void select_carry_product(Site& site) {
    operands_of_type(site, site.type());
    site.run(for_type<u32, s32, u64, s64>(site.type(), [&]<class T>() -> Chosen {
        if (site.has(Mod::hi))
            return site.has(Mod::cc) ? &multiply_with_carry<T, true, ReadsCarry, true>
                                     : &multiply_with_carry<T, true, ReadsCarry, false>;
        return site.has(Mod::cc) ? &multiply_with_carry<T, false, ReadsCarry, true>
                                 : &multiply_with_carry<T, false, ReadsCarry, false>;
    }));
}

/// The type of .wide results.
ptx::Type widened(ptx::Type type) {
    switch (type) {
        case u16:
            return u32;
        case s16:
            return s32;
        case u32:
            return u64;
        default:
            return s64;
    }
}

}  // namespace

void select_add(Site& site) {
    if (is_float(site.type())) return select_float_add(site);
    if (is_packed_integer(site.type())) return select_packed_add(site);
    if (site.has(Mod::cc)) return select_carry_sum<false>(site, false);
    operands_of_type(site, site.type());
    if (site.has(Mod::sat)) return site.run(site.type() == s32 ? map<add_sat> : nullptr);
    site.run(for_integer(site.type(), []<class T>() { return map<add<T>>; }));
}

void select_sub(Site& site) {
    if (is_float(site.type())) return select_float_sub(site);
    if (site.has(Mod::cc)) return select_carry_sum<false>(site, true);
    operands_of_type(site, site.type());
    if (site.has(Mod::sat)) return site.run(site.type() == s32 ? map<sub_sat> : nullptr);
    site.run(for_integer(site.type(), []<class T>() { return map<sub<T>>; }));
}

void select_addc(Site& site) {
    select_carry_sum<true>(site, false);
}
void select_subc(Site& site) {
    select_carry_sum<true>(site, true);
}

void select_mul(Site& site) {
    if (is_float(site.type())) return select_float_mul(site);
    if (site.has(Mod::wide)) {
        site.out.d = site.destination(site.operand(0), type_bytes(site.type()) == 4 ? 8 : 4);
        site.out.a = site.source(site.operand(1), site.type());
        site.out.b = site.source(site.operand(2), site.type());
        return site.run(for_type<u16, s16, u32, s32>(site.type(), []<class T>() { return map<mul_wide<T>>; }));
    }
    operands_of_type(site, site.type());
    if (site.has(Mod::hi)) return site.run(for_integer(site.type(), []<class T>() { return map<high_product<T>>; }));
    site.run(for_integer(site.type(), []<class T>() { return map<mul_lo<T>>; }));
}

void select_mad(Site& site) {
    if (is_float(site.type())) return select_fma(site);
    if (site.has(Mod::cc)) return select_carry_product<false>(site);
    if (site.has(Mod::wide)) {
        site.out.d = site.destination(site.operand(0), type_bytes(site.type()) == 4 ? 8 : 4);
        site.out.a = site.source(site.operand(1), site.type());
        site.out.b = site.source(site.operand(2), site.type());
        site.out.c = site.source(site.operand(3), widened(site.type()));
        return site.run(for_type<u16, s16, u32, s32>(site.type(), []<class T>() { return map<mad_wide<T>>; }));
    }
    operands_of_type(site, site.type());
    if (site.has(Mod::sat)) return site.run(site.has(Mod::hi) && site.type() == s32 ? map<mad_hi_sat> : nullptr);
    if (site.has(Mod::hi))
        return site.run(for_integer(site.type(), []<class T>() { return map<high_product_sum<T>>; }));
    site.run(for_integer(site.type(), []<class T>() { return map<mad_lo<T>>; }));
}

void select_madc(Site& site) {
    select_carry_product<true>(site);
}

void select_mul24(Site& site) {
    operands_of_type(site, site.type());
    if (site.has(Mod::hi)) return site.run(for_type<u32, s32>(site.type(), []<class T>() { return map<mul24_hi<T>>; }));
    site.run(for_type<u32, s32>(site.type(), []<class T>() { return map<mul24_lo<T>>; }));
}

void select_mad24(Site& site) {
    operands_of_type(site, site.type());
    if (site.has(Mod::sat)) return site.run(site.type() == s32 ? map<mad24_hi_sat> : nullptr);
    if (site.has(Mod::hi)) return site.run(for_type<u32, s32>(site.type(), []<class T>() { return map<mad24_hi<T>>; }));
    site.run(for_type<u32, s32>(site.type(), []<class T>() { return map<mad24_lo<T>>; }));
}

void select_sad(Site& site) {
    operands_of_type(site, site.type());
    site.run(for_integer(site.type(), []<class T>() { return map<sad<T>>; }));
}

/// div and rem of 32-bit integers, without a branch: a processor divides doubles by the vector, integers one by one.
/// The quotient of two of them as a double, cut off, is theirs: if it is not an integer, it lies at least 1/b from the
/// next one, which is more than its rounding error of a/b * 2^-53. The results are those of semantics::div and
/// semantics::rem.
template <class T, bool Remainder>
T divide_by_double(T a, T b) {
    using Unsigned = std::make_unsigned_t<T>;
    const bool wraps = std::is_signed_v<T> && b == T(-1);
    const T divisor = b == 0 || wraps ? T(1) : b;
    const T quotient = static_cast<T>(static_cast<double>(a) / static_cast<double>(divisor));
    const T negated = static_cast<T>(Unsigned{0} - static_cast<Unsigned>(a));
    const T rest =
        static_cast<T>(static_cast<Unsigned>(a) - static_cast<Unsigned>(quotient) * static_cast<Unsigned>(divisor));
    const T plain = Remainder ? rest : quotient, wrapped = Remainder ? T(0) : negated;
    const T nonzero = wraps ? wrapped : plain;
    return b == 0 ? static_cast<T>(~T(0)) : nonzero;
}

template <class T>
constexpr bool divides_by_double = std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int32_t>;

template <class T>
constexpr Chosen division() {
    if constexpr (divides_by_double<T>)
        return {&LaneMap<&divide_by_double<T, false>>::run, nullptr, &lane_operation<div<T>>};
    else
        return map<div<T>>;
}
template <class T>
constexpr Chosen remainder() {
    if constexpr (divides_by_double<T>)
        return {&LaneMap<&divide_by_double<T, true>>::run, nullptr, &lane_operation<rem<T>>};
    else
        return map<rem<T>>;
}

void select_div(Site& site) {
    if (is_float(site.type())) return select_float_div(site);
    operands_of_type(site, site.type());
    site.run(for_integer(site.type(), []<class T>() { return division<T>(); }));
}

void select_rem(Site& site) {
    operands_of_type(site, site.type());
    site.run(for_integer(site.type(), []<class T>() { return remainder<T>(); }));
}

void select_abs(Site& site) {
    if (is_float(site.type())) return select_float_abs(site);
    operands_of_type(site, site.type());
    site.run(for_type<s16, s32, s64>(site.type(), []<class T>() { return map<semantics::abs<T>>; }));
}

void select_neg(Site& site) {
    if (is_float(site.type())) return select_float_neg(site);
    operands_of_type(site, site.type());
    site.run(for_type<s16, s32, s64>(site.type(), []<class T>() { return map<neg<T>>; }));
}

void select_min(Site& site) {
    if (is_float(site.type())) return select_float_min(site);
    if (is_packed_integer(site.type())) return select_packed_min(site);
    if (site.has(Mod::relu)) return select_relu_min(site);
    operands_of_type(site, site.type());
    site.run(for_integer(site.type(), []<class T>() { return map<semantics::min<T>>; }));
}

void select_max(Site& site) {
    if (is_float(site.type())) return select_float_max(site);
    if (is_packed_integer(site.type())) return select_packed_max(site);
    if (site.has(Mod::relu)) return select_relu_max(site);
    operands_of_type(site, site.type());
    site.run(for_integer(site.type(), []<class T>() { return map<semantics::max<T>>; }));
}

}  // namespace cudash::virtual_gpu
