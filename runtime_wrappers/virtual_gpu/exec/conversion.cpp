// cvt: every pair of types by its kind.
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

constexpr bool is_real(ptx::Type type) {
    return type == f16 || type == bf16 || type == f32 || type == f64;
}

/// .rni, .rzi, .rmi, .rpi as the rounding that they do.
template <class Pick>
Handler for_whole_rounding(const Site& site, Pick pick) {
    if (site.has(Mod::rni)) return pick(RoundingConstant<Rounding::rn>{});
    if (site.has(Mod::rmi)) return pick(RoundingConstant<Rounding::rm>{});
    if (site.has(Mod::rpi)) return pick(RoundingConstant<Rounding::rp>{});
    return site.has(Mod::rzi) ? pick(RoundingConstant<Rounding::rz>{}) : nullptr;
}
bool to_whole(const Site& site) {
    return site.has(Mod::rni) || site.has(Mod::rzi) || site.has(Mod::rmi) || site.has(Mod::rpi);
}
template <class Pick>
Handler for_any_integer(ptx::Type type, Pick pick) {
    return for_type<u8, s8, u16, s16, u32, s32, u64, s64>(type, pick);
}

/// What a register holds after a result of type To was written: the result with its sign or zeros above it.
template <class To>
using Extended =
    std::conditional_t<sizeof(To) >= 4, To, std::conditional_t<std::is_signed_v<To>, std::int32_t, std::uint32_t>>;

template <class To, class From, bool Sat>
Extended<To> integer_to_integer(From value) {
    return convert_integer<To, Sat>(value);
}
template <class To, Rounding R, bool Ftz, class Real>
Extended<To> real_to_integer(Real value) {
    return float_to_integer<To, R, Ftz>(value);
}
template <class To, Rounding R, Format F>
Extended<To> half_to_integer(std::uint16_t value) {
    return float_to_integer<To, R>(widen<F>(value));
}

/// The source register is wider than the source type: its lower part counts.
template <class To, class From>
Extended<To> low_part_to_integer(std::uint64_t value) {
    return convert_integer<To>(static_cast<From>(value));
}

/// The result's register is wider than its type: the result with its sign or zeros above it.
template <class To, class From>
std::conditional_t<std::is_signed_v<To>, std::int64_t, std::uint64_t> integer_to_wide_register(From value) {
    return convert_integer<To>(value);
}
template <class To, class From>
std::conditional_t<std::is_signed_v<To>, std::int64_t, std::uint64_t> low_part_to_wide_register(std::uint64_t value) {
    return convert_integer<To>(static_cast<From>(value));
}

template <Rounding R, class From, bool Sat>
float integer_to_single(From value) {
    return saturate<Sat>(integer_to_f32<R>(value));
}
template <Rounding R, class From>
double integer_to_double(From value) {
    return integer_to_f64<R>(value);
}
template <Format F, Rounding R, class From>
std::uint16_t integer_to_half(From value) {
    return static_cast<std::uint16_t>(integer_to<F, R>(value));
}

template <Format F, Rounding R, Clamp C, class Real>
std::uint16_t real_to_half(Real value) {
    return finish_half<F, false, C>(static_cast<std::uint16_t>(round_to<F, R>(value)));
}
template <Format F, Rounding R, class Real>
std::uint16_t real_to_finite_half(Real value) {
    return static_cast<std::uint16_t>(round_to<F, R, true>(value));
}
template <Format F, bool Sat>
float half_to_single(std::uint16_t value) {
    return saturate<Sat>(widen<F>(value));
}
template <Format F>
double half_to_double(std::uint16_t value) {
    return f32_to_f64(widen<F>(value));
}
template <Format F, Rounding R>
std::uint16_t half_to_whole(std::uint16_t value) {
    return static_cast<std::uint16_t>(round_to<F, Rounding::rn>(round_to_whole<R>(widen<F>(value))));
}
template <Format From, Format To, Rounding R>
std::uint16_t half_to_half(std::uint16_t value) {
    return static_cast<std::uint16_t>(round_to<To, R>(widen<From>(value)));
}

Handler convert_integers(const Site& site, ptx::Type to, ptx::Type from) {
    return for_any_integer(to, [&]<class To>() {
        return for_any_integer(from, [&]<class From>() {
            return site.has(Mod::sat) ? walk<integer_to_integer<To, From, true>>
                                      : map<integer_to_integer<To, From, false>>;
        });
    });
}

Handler convert_low_parts(ptx::Type to, ptx::Type from) {
    return for_any_integer(to, [&]<class To>() {
        return for_type<u8, s8, u16, s16, u32, s32>(from,
                                                    []<class From>() { return walk<low_part_to_integer<To, From>>; });
    });
}

/// Integers of at most 32 bits into 64-bit registers.
void select_into_wide_register(Site& site, ptx::Type to, ptx::Type from) {
    const bool wide_source = site.register_bytes(site.operand(1)) == 8;
    site.out.d = site.destination(site.operand(0), 8);
    site.out.a = site.source(site.operand(1), wide_source ? u64 : from);
    site.run(for_type<u8, s8, u16, s16, u32, s32>(to, [&]<class To>() {
        return for_any_integer(from, [&]<class From>() {
            return wide_source ? walk<low_part_to_wide_register<To, From>> : walk<integer_to_wide_register<To, From>>;
        });
    }));
}

Handler convert_to_integer(const Site& site, ptx::Type to, ptx::Type from) {
    return for_whole_rounding(site, [&](auto r) {
        return for_any_integer(to, [&]<class To>() -> Handler {
            if (from == f16) return walk<half_to_integer<To, r.value, format_f16>>;
            if (from == bf16) return walk<half_to_integer<To, r.value, format_bf16>>;
            // Casts to int and unsigned are what kernels do all the time.
            if constexpr (sizeof(To) == 4 && r.value == Rounding::rz)
                if (from == f32 && !site.has(Mod::ftz)) return map<real_to_integer<To, r.value, false, float>>;
            if (from == f64) return walk<real_to_integer<To, r.value, false, double>>;
            return site.has(Mod::ftz) ? walk<real_to_integer<To, r.value, true, float>>
                                      : walk<real_to_integer<To, r.value, false, float>>;
        });
    });
}

Handler convert_from_integer(const Site& site, ptx::Type to, ptx::Type from) {
    return for_rounding(site, [&](auto r) {
        return for_any_integer(from, [&]<class From>() -> Handler {
            if constexpr (sizeof(From) == 4 && r.value == Rounding::rn) {
                if (to == f64) return map<integer_to_double<r.value, From>>;
                if (to == f32 && !site.has(Mod::sat)) return map<integer_to_single<r.value, From, false>>;
            }
            if (to == f64) return walk<integer_to_double<r.value, From>>;
            if (to == f16) return walk<integer_to_half<format_f16, r.value, From>>;
            if (to == bf16) return walk<integer_to_half<format_bf16, r.value, From>>;
            return site.has(Mod::sat) ? walk<integer_to_single<r.value, From, true>>
                                      : walk<integer_to_single<r.value, From, false>>;
        });
    });
}

template <Format F, class Real>
Handler narrow_to_half(const Site& site) {
    return for_rounding(site, [&](auto r) -> Handler {
        if (site.has(Mod::satfinite)) return walk<real_to_finite_half<F, r.value, Real>>;
        if (site.has(Mod::relu)) return walk<real_to_half<F, r.value, Clamp::relu, Real>>;
        if (site.has(Mod::sat)) return walk<real_to_half<F, r.value, Clamp::sat, Real>>;
        if constexpr (r.value == Rounding::rn && sizeof(Real) == 4)
            return map<real_to_half<F, r.value, Clamp::none, Real>>;
        return walk<real_to_half<F, r.value, Clamp::none, Real>>;
    });
}

template <Format F, Format Other>
Handler convert_from_half(const Site& site, ptx::Type to, bool same) {
    if (to == f64) return map<half_to_double<F>>;
    if (to == f32) return site.has(Mod::sat) ? map<half_to_single<F, true>> : map<half_to_single<F, false>>;
    if (!same) return for_rounding(site, [](auto r) { return walk<half_to_half<F, Other, r.value>>; });
    return for_whole_rounding(site, [](auto r) { return walk<half_to_whole<F, r.value>>; });
}

template <bool Ftz>
double single_to_saturated_double(float value) {
    return saturate_f64(f32_to_f64<Ftz>(value));
}

Handler convert_reals(const Site& site, ptx::Type to, ptx::Type from) {
    if (from == f16) return convert_from_half<format_f16, format_bf16>(site, to, to == f16);
    if (from == bf16) return convert_from_half<format_bf16, format_f16>(site, to, to == bf16);
    if (to == f16)
        return from == f64 ? narrow_to_half<format_f16, double>(site) : narrow_to_half<format_f16, float>(site);
    if (to == bf16)
        return from == f64 ? narrow_to_half<format_bf16, double>(site) : narrow_to_half<format_bf16, float>(site);
    if (from == f64 && to == f64) {
        if (to_whole(site)) return for_whole_rounding(site, [](auto r) { return map<f64_to_whole<r.value>>; });
        return site.has(Mod::sat) ? map<saturate_f64> : nullptr;
    }
    if (to == f64)
        return for_flag(site.has(Mod::ftz), [&](auto ftz) {
            return site.has(Mod::sat) ? walk<single_to_saturated_double<ftz.value>> : map<f32_to_f64<ftz.value>>;
        });
    return for_flag(site.has(Mod::ftz), [&](auto ftz) {
        return for_flag(site.has(Mod::sat), [&](auto sat) -> Handler {
            if (from == f64)
                return for_rounding(site, [&](auto r) { return map<f64_to_f32<r.value, ftz.value, sat.value>>; });
            if (to_whole(site))
                return for_whole_rounding(site,
                                          [&](auto r) { return map<f32_to_whole<r.value, ftz.value, sat.value>>; });
            return map<f32_to_f32<ftz.value, sat.value>>;
        });
    });
}

// Two f32 become one register.
template <Format F, Rounding R, bool SatFinite, bool Relu>
std::uint32_t pair_of(float a, float b) {
    return convert_pair<F, R, SatFinite, Relu>(a, b);
}
template <Format F>
Handler convert_to_pair(const Site& site, bool always_finite) {
    return for_flag(site.has(Mod::relu), [&](auto relu) {
        return for_flag(always_finite || site.has(Mod::satfinite), [&](auto finite) -> Handler {
            if (site.has(Mod::rz)) return map<pair_of<F, Rounding::rz, finite.value, relu.value>>;
            return map<pair_of<F, Rounding::rn, finite.value, relu.value>>;
        });
    });
}

void select_pair(Site& site) {
    site.out.d = site.destination(site.operand(0), 4);
    site.out.a = site.source(site.operand(1), f32);
    site.out.b = site.source(site.operand(2), f32);
    if (site.has(Mod::e4m3x2)) return site.run(convert_to_pair<format_e4m3>(site, true));
    if (site.has(Mod::e5m2x2)) return site.run(convert_to_pair<format_e5m2>(site, true));
    if (site.type(1) != f32) return site.refuse();
    if (site.type(0) == f16x2) return site.run(convert_to_pair<format_f16>(site, false));
    site.run(site.type(0) == bf16x2 ? convert_to_pair<format_bf16>(site, false) : nullptr);
}

void select_tf32(Site& site) {
    site.out.d = site.destination(site.operand(0), 4);
    site.out.a = site.source(site.operand(1), f32);
    if (site.has(Mod::rna)) return site.run(map<f32_to_tf32<Rounding::rna>>);
    if (site.has(Mod::rz)) return site.run(map<f32_to_tf32<Rounding::rz>>);
    site.run(site.has(Mod::rn) ? map<f32_to_tf32<Rounding::rn>> : nullptr);
}

}  // namespace

void select_cvt(Site& site) {
    if (site.operands() == 3) return select_pair(site);
    if (site.operands() != 2) return site.refuse();
    const ptx::Type to = site.type(0), from = site.type(1);
    if (site.has(Mod::e4m3x2) || site.has(Mod::e5m2x2)) {
        if (to != f16x2) return site.refuse();
        site.out.d = site.destination(site.operand(0), 4);
        site.out.a = site.source(site.operand(1), b16);
        return site.run(site.has(Mod::e4m3x2) ? map<fp8_pair_to_f16x2<format_e4m3>>
                                              : map<fp8_pair_to_f16x2<format_e5m2>>);
    }
    if (to == tf32) return select_tf32(site);
    if (!is_real(from) && !is_real(to) && type_bytes(to) <= 4 && site.register_bytes(site.operand(0)) == 8 &&
        !site.has(Mod::sat))
        return select_into_wide_register(site, to, from);
    site.out.d = site.destination(site.operand(0), type_bytes(to) > 4 ? 8 : 4);
    if (!is_real(from) && !is_real(to) && type_bytes(from) <= 4 && site.register_bytes(site.operand(1)) == 8 &&
        !site.has(Mod::sat)) {
        site.out.a = site.source(site.operand(1), u64);
        return site.run(convert_low_parts(to, from));
    }
    site.out.a = site.source(site.operand(1), from);
    if (is_real(to) && is_real(from)) return site.run(convert_reals(site, to, from));
    if (is_real(from)) return site.run(convert_to_integer(site, to, from));
    if (is_real(to)) return site.run(convert_from_integer(site, to, from));
    site.run(convert_integers(site, to, from));
}

}  // namespace cudash::virtual_gpu
