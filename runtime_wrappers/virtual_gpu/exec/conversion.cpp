// cvt: every pair of types by its kind.
#include <algorithm>
#include <iterator>
#include <string_view>

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
Chosen for_whole_rounding(const Site& site, Pick pick) {
    if (site.has(Mod::rni)) return pick(RoundingConstant<Rounding::rn>{});
    if (site.has(Mod::rmi)) return pick(RoundingConstant<Rounding::rm>{});
    if (site.has(Mod::rpi)) return pick(RoundingConstant<Rounding::rp>{});
    return site.has(Mod::rzi) ? pick(RoundingConstant<Rounding::rz>{}) : nullptr;
}
bool to_whole(const Site& site) {
    return site.has(Mod::rni) || site.has(Mod::rzi) || site.has(Mod::rmi) || site.has(Mod::rpi);
}
template <class Pick>
Chosen for_any_integer(ptx::Type type, Pick pick) {
    return for_type<u8, s8, u16, s16, u32, s32, u64, s64>(type, pick);
}

template <Format F, Rounding R, class From, Clamp C = Clamp::none>
std::uint16_t integer_to_half(From value) {
    return finish_half<F, false, C>(static_cast<std::uint16_t>(integer_to<F, R>(value)));
}

template <Format F, Rounding R, Clamp C, class Real>
std::uint16_t real_to_half(Real value) {
    return finish_half<F, false, C>(static_cast<std::uint16_t>(round_to<F, R>(value)));
}
template <Rounding R>
std::uint16_t flushed_single_to_bf16(float value) {
    return static_cast<std::uint16_t>(round_to<format_bf16, R>(flush<true>(value)));
}
template <Format F, Rounding R, Clamp C, class Real>
std::uint16_t real_to_finite_half(Real value) {
    return finish_half<F, false, C>(static_cast<std::uint16_t>(round_to<F, R, true>(value)));
}
template <Format F, bool Sat>
float half_to_single(std::uint16_t value) {
    return saturate<Sat>(widen<F>(value));
}
template <Format F, bool Ftz>
float half_to_flushed_single(std::uint16_t value) {
    return finish<Ftz, false>(widen<F>(value));
}
template <Format F, bool Sat>
double half_to_double(std::uint16_t value) {
    const double result = half_to_f64<F>(value);
    return Sat ? saturate_f64(result) : result;
}
template <Format F, Rounding R, Clamp C>
std::uint16_t half_to_whole(std::uint16_t value) {
    return finish_half<F, false, C>(
        static_cast<std::uint16_t>(round_to<F, Rounding::rn>(round_to_whole<R>(widen<F>(value)))));
}
/// cvt.f16.f16 copies, but for NaNs, which become canonical; .sat limits to 0..1.
template <Format F, Clamp C>
std::uint16_t half_to_same(std::uint16_t value) {
    const bool is_nan = (value & (F.sign() - 1)) > F.infinity();
    return finish_half<F, false, C>(is_nan ? static_cast<std::uint16_t>(F.nan) : value);
}
template <Rounding R>
double double_to_saturated_whole(double value) {
    return saturate_f64(f64_to_whole<R>(value));
}
double copy_double(double value) {
    return value;
}
template <Format From, Format To, Rounding R>
std::uint16_t half_to_half(std::uint16_t value) {
    return static_cast<std::uint16_t>(round_to<To, R>(widen<From>(value)));
}

Chosen convert_integers(const Site& site, ptx::Type to, ptx::Type from) {
    return for_any_integer(to, [&]<class To>() {
        return for_any_integer(from, [&]<class From>() {
            return site.has(Mod::sat) ? walk<integer_to_integer<To, From, true>>
                                      : map<integer_to_integer<To, From, false>>;
        });
    });
}

Chosen convert_low_parts(ptx::Type to, ptx::Type from) {
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

Chosen convert_to_integer(const Site& site, ptx::Type to, ptx::Type from) {
    return for_whole_rounding(site, [&](auto r) {
        return for_any_integer(to, [&]<class To>() -> Chosen {
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

Chosen convert_from_integer(const Site& site, ptx::Type to, ptx::Type from) {
    return for_rounding(site, [&](auto r) {
        return for_any_integer(from, [&]<class From>() -> Chosen {
            if constexpr (sizeof(From) == 4 && r.value == Rounding::rn) {
                if (to == f64 && !site.has(Mod::sat)) return map<integer_to_double<r.value, From>>;
                if (to == f32 && !site.has(Mod::sat)) return map<integer_to_single<r.value, From, false>>;
            }
            if (to == f64)
                return site.has(Mod::sat) ? walk<integer_to_double<r.value, From, true>>
                                          : walk<integer_to_double<r.value, From>>;
            if (to == f16)
                return site.has(Mod::sat) ? walk<integer_to_half<format_f16, r.value, From, Clamp::sat>>
                                          : walk<integer_to_half<format_f16, r.value, From>>;
            if (to == bf16) return walk<integer_to_half<format_bf16, r.value, From>>;
            return site.has(Mod::sat) ? walk<integer_to_single<r.value, From, true>>
                                      : walk<integer_to_single<r.value, From, false>>;
        });
    });
}

template <Format F, class Real>
Chosen narrow_to_half(const Site& site) {
    return for_rounding(site, [&](auto r) -> Chosen {
        if constexpr (F.exponent_bits == format_bf16.exponent_bits && sizeof(Real) == 4)
            if (site.has(Mod::ftz)) return walk<flushed_single_to_bf16<r.value>>;
        if (site.has(Mod::satfinite))
            return site.has(Mod::relu) ? walk<real_to_finite_half<F, r.value, Clamp::relu, Real>>
                                       : walk<real_to_finite_half<F, r.value, Clamp::none, Real>>;
        if (site.has(Mod::relu)) return walk<real_to_half<F, r.value, Clamp::relu, Real>>;
        if (site.has(Mod::sat)) return walk<real_to_half<F, r.value, Clamp::sat, Real>>;
        if constexpr (r.value == Rounding::rn && sizeof(Real) == 4)
            return map<real_to_half<F, r.value, Clamp::none, Real>>;
        return walk<real_to_half<F, r.value, Clamp::none, Real>>;
    });
}

template <Format F, Format Other>
Chosen convert_from_half(const Site& site, ptx::Type to, bool same) {
    if (to == f64) return site.has(Mod::sat) ? map<half_to_double<F, true>> : map<half_to_double<F, false>>;
    if (to == f32 && site.has(Mod::ftz) && !site.has(Mod::sat)) return map<half_to_flushed_single<F, true>>;
    if (to == f32) return site.has(Mod::sat) ? map<half_to_single<F, true>> : map<half_to_single<F, false>>;
    if (!same) return for_rounding(site, [](auto r) { return walk<half_to_half<F, Other, r.value>>; });
    if (!to_whole(site))
        return site.has(Mod::sat) ? walk<half_to_same<F, Clamp::sat>> : map<half_to_same<F, Clamp::none>>;
    return for_whole_rounding(site, [&](auto r) {
        return site.has(Mod::sat) ? walk<half_to_whole<F, r.value, Clamp::sat>>
                                  : walk<half_to_whole<F, r.value, Clamp::none>>;
    });
}

template <bool Ftz>
double single_to_saturated_double(float value) {
    return saturate_f64(f32_to_f64<Ftz>(value));
}

Chosen convert_reals(const Site& site, ptx::Type to, ptx::Type from) {
    if (from == f16) return convert_from_half<format_f16, format_bf16>(site, to, to == f16);
    if (from == bf16) return convert_from_half<format_bf16, format_f16>(site, to, to == bf16);
    if (to == f16)
        return from == f64 ? narrow_to_half<format_f16, double>(site) : narrow_to_half<format_f16, float>(site);
    if (to == bf16)
        return from == f64 ? narrow_to_half<format_bf16, double>(site) : narrow_to_half<format_bf16, float>(site);
    if (from == f64 && to == f64) {
        if (to_whole(site) && site.has(Mod::sat))
            return for_whole_rounding(site, [](auto r) { return walk<double_to_saturated_whole<r.value>>; });
        if (to_whole(site)) return for_whole_rounding(site, [](auto r) { return map<f64_to_whole<r.value>>; });
        return site.has(Mod::sat) ? map<saturate_f64> : map<copy_double>;
    }
    if (to == f64)
        return for_flag(site.has(Mod::ftz), [&](auto ftz) {
            return site.has(Mod::sat) ? walk<single_to_saturated_double<ftz.value>> : map<f32_to_f64<ftz.value>>;
        });
    return for_flag(site.has(Mod::ftz), [&](auto ftz) {
        return for_flag(site.has(Mod::sat), [&](auto sat) -> Chosen {
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
Chosen convert_to_pair(const Site& site, bool always_finite) {
    return for_flag(site.has(Mod::relu), [&](auto relu) {
        return for_flag(always_finite || site.has(Mod::satfinite), [&](auto finite) -> Chosen {
            if (site.has(Mod::rz)) return map<pair_of<F, Rounding::rz, finite.value, relu.value>>;
            return map<pair_of<F, Rounding::rn, finite.value, relu.value>>;
        });
    });
}

bool is_fp8_pair(ptx::Type type) {
    return type == e4m3x2 || type == e5m2x2;
}

void select_pair(Site& site) {
    site.out.d = site.destination(site.operand(0), 4);
    site.out.a = site.source(site.operand(1), f32);
    site.out.b = site.source(site.operand(2), f32);
    if (site.type(1) != f32) return site.refuse();
    if (site.type(0) == e4m3x2) return site.run(convert_to_pair<format_e4m3>(site, true));
    if (site.type(0) == e5m2x2) return site.run(convert_to_pair<format_e5m2>(site, true));
    if (site.type(0) == f16x2) return site.run(convert_to_pair<format_f16>(site, false));
    site.run(site.type(0) == bf16x2 ? convert_to_pair<format_bf16>(site, false) : nullptr);
}

/// cvt.rn.satfinite.e4m3x2.f16x2: each half to its byte.
template <Format F, bool Relu>
std::uint16_t halves_to_fp8_pair(std::uint32_t pair) {
    return static_cast<std::uint16_t>(
        convert_pair<F, Rounding::rn, true, Relu>(widen<format_f16>(pair >> 16), widen<format_f16>(pair & 0xFFFF)));
}
template <Format F>
std::uint32_t fp8_pair_to_positive_halves(std::uint16_t pair) {
    const std::uint32_t halves = fp8_pair_to_f16x2<F>(pair);
    return relu_bits<format_f16>(halves & 0xFFFF) | relu_bits<format_f16>(halves >> 16) << 16;
}

/// Between pairs of 8-bit values and pairs of .f16.
void select_fp8(Site& site) {
    const bool relu = site.has(Mod::relu);
    site.out.d = site.destination(site.operand(0), 4);
    if (is_fp8_pair(site.type(0))) {
        site.out.a = site.source(site.operand(1), b32);
        if (site.type(1) != f16x2) return site.refuse();
        if (site.type(0) == e4m3x2)
            return site.run(relu ? walk<halves_to_fp8_pair<format_e4m3, true>>
                                 : map<halves_to_fp8_pair<format_e4m3, false>>);
        return site.run(relu ? walk<halves_to_fp8_pair<format_e5m2, true>>
                             : map<halves_to_fp8_pair<format_e5m2, false>>);
    }
    site.out.a = site.source(site.operand(1), b16);
    if (site.type(0) != f16x2) return site.refuse();
    if (site.type(1) == e4m3x2)
        return site.run(relu ? walk<fp8_pair_to_positive_halves<format_e4m3>> : map<fp8_pair_to_f16x2<format_e4m3>>);
    site.run(relu ? walk<fp8_pair_to_positive_halves<format_e5m2>> : map<fp8_pair_to_f16x2<format_e5m2>>);
}

void select_tf32(Site& site) {
    const bool relu = site.has(Mod::relu);
    site.out.d = site.destination(site.operand(0), 4);
    site.out.a = site.source(site.operand(1), f32);
    if (site.has(Mod::rna))
        return site.run(site.has(Mod::satfinite) ? walk<f32_to_tf32<Rounding::rna, false, true>>
                                                 : map<f32_to_tf32<Rounding::rna>>);
    if (site.has(Mod::satfinite)) return site.refuse();
    if (site.has(Mod::rz))
        return site.run(relu ? walk<f32_to_tf32<Rounding::rz, true>> : map<f32_to_tf32<Rounding::rz>>);
    if (!site.has(Mod::rn)) return site.refuse();
    site.run(relu ? walk<f32_to_tf32<Rounding::rn, true>> : map<f32_to_tf32<Rounding::rn>>);
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c: the width of the parts is `count` bits, `option` says whether they have a sign.
const Instruction* run_pack(const Instruction* i, Warp& w) {
    auto *a = lanes<std::int32_t>(w, i->a), *b = lanes<std::int32_t>(w, i->b);
    auto* c = lanes<std::uint32_t>(w, i->c);
    auto* d = lanes<std::uint32_t>(w, i->d);
    for_each_lane(w.mask, [&](unsigned l) {
        d[l] = pack_saturated(static_cast<std::int32_t>(a[l]), static_cast<std::int32_t>(b[l]), c[l], i->count,
                              i->option != 0);
    });
    return i + 1;
}
void select_cvt_pack(Site& site) {
    struct Row {
        std::string_view name;
        unsigned bits;
        bool is_signed;
    };
    static constexpr Row rows[] = {{"u16", 16, false}, {"s16", 16, true}, {"u8", 8, false}, {"s8", 8, true},
                                   {"u4", 4, false},   {"s4", 4, true},   {"u2", 2, false}, {"s2", 2, true}};
    const auto& words = site.written.modifiers;
    const Row* row = words.size() < 4 ? nullptr : std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) {
        return each.name == words[2];
    });
    if (!row || row == std::end(rows) || words[1] != "sat" || words[3] != "s32" ||
        site.operands() != (row->bits == 16 ? 3u : 4u) || words.size() != (row->bits == 16 ? 4u : 5u))
        return site.refuse();
    site.out.d = site.destination(site.operand(0), 4);
    site.out.a = site.source(site.operand(1), s32);
    site.out.b = site.source(site.operand(2), s32);
    site.out.c = site.operands() > 3 ? site.source(site.operand(3), b32) : site.constant(0, 4);
    site.out.count = static_cast<std::uint16_t>(row->bits);
    site.out.option = row->is_signed;
    site.run(run_pack);
}

}  // namespace

void select_cvt(Site& site) {
    if (site.has(Mod::pack)) return select_cvt_pack(site);
    if (site.operands() == 3) return select_pair(site);
    if (site.operands() != 2) return site.refuse();
    const ptx::Type to = site.type(0), from = site.type(1);
    if (is_fp8_pair(to) || is_fp8_pair(from)) return select_fp8(site);
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
