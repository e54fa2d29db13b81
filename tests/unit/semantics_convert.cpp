// cvt and cvt.pack.
#include <doctest/doctest.h>

#include <functional>
#include <random>

#include "runtime_wrappers/virtual_gpu/isa/semantics.h"

namespace {

using namespace cudash::virtual_gpu::semantics;

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
std::uint64_t bits(double value) {
    return std::bit_cast<std::uint64_t>(value);
}
float f32(std::uint32_t value) {
    return std::bit_cast<float>(value);
}
double f64(std::uint64_t value) {
    return std::bit_cast<double>(value);
}

constexpr Rounding rn = Rounding::rn, rz = Rounding::rz, rm = Rounding::rm, rp = Rounding::rp;

/// An integer of `bits` significant bits is converted right if the result is the neighbour on the right side.
template <class Real, class Integer>
void check_integer_rounding(const std::function<Real(Integer, Rounding)>& convert) {
    std::mt19937_64 random(11);
    int wrong = 0;
    for (int i = 0; i < 50000; ++i) {
        const std::uint64_t raw = random() >> (random() % 64) << (random() % 8);
        const auto value = static_cast<Integer>(random() % 2 != 0 ? raw : 0 - raw);
        const auto exact = static_cast<long double>(value);  // 64 bits of significand
        const auto down = convert(value, rm), up = convert(value, rp), cut = convert(value, rz),
                   near = convert(value, rn);
        wrong += static_cast<long double>(down) > exact || static_cast<long double>(up) < exact;
        wrong += exact == static_cast<long double>(near) ? down != near || up != near
                                                         : std::nextafter(down, Real(INFINITY)) != up;
        wrong += cut != (value < Integer{} ? up : down);
        wrong += std::fabs(static_cast<long double>(near) - exact) >
                 std::min(exact - static_cast<long double>(down), static_cast<long double>(up) - exact);
    }
    CHECK(wrong == 0);
}
template <class Integer>
float to_f32(Integer value, Rounding rounding) {
    if (rounding == rz) return integer_to_f32<rz>(value);
    if (rounding == rm) return integer_to_f32<rm>(value);
    return rounding == rp ? integer_to_f32<rp>(value) : integer_to_f32<rn>(value);
}
template <class Integer>
double to_f64(Integer value, Rounding rounding) {
    if (rounding == rz) return integer_to_f64<rz>(value);
    if (rounding == rm) return integer_to_f64<rm>(value);
    return rounding == rp ? integer_to_f64<rp>(value) : integer_to_f64<rn>(value);
}

}  // namespace

TEST_CASE("integer to integer") {
    CHECK(convert_integer<std::int64_t>(std::int8_t{-1}) == -1);
    CHECK(convert_integer<std::uint8_t>(0x1FFu) == 0xFF);
    CHECK(convert_integer<std::int8_t, true>(200) == 127);
    CHECK(convert_integer<std::int8_t, true>(-200) == -128);
    CHECK(convert_integer<std::uint8_t, true>(-1) == 0);
    CHECK(convert_integer<std::uint64_t, true>(std::int32_t{-1}) == 0);
    CHECK(convert_integer<std::int64_t, true>(~std::uint64_t{0}) == INT64_MAX);
    CHECK(convert_integer<std::int32_t, true>(INT64_MIN) == INT32_MIN);
}

TEST_CASE("reals to integers") {
    const float halves[] = {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 1.25f, -1.75f};
    const int nearest[] = {-2, -2, 0, 0, 2, 2, 1, -2}, floors[] = {-3, -2, -1, 0, 1, 2, 1, -2};
    for (int i = 0; i < 8; ++i) {
        CHECK(float_to_integer<std::int32_t, rn>(halves[i]) == nearest[i]);
        CHECK(float_to_integer<std::int32_t, rm>(halves[i]) == floors[i]);
        CHECK(float_to_integer<std::int32_t, rp>(static_cast<double>(-halves[i])) == -floors[i]);
        CHECK(float_to_integer<std::int32_t, rz>(halves[i]) == static_cast<int>(halves[i]));
    }
    CHECK(float_to_integer<std::int32_t, rz>(3e9f) == INT32_MAX);
    CHECK(float_to_integer<std::int32_t, rz>(-INFINITY) == INT32_MIN);
    CHECK(float_to_integer<std::uint32_t, rz>(-1.0f) == 0);
    CHECK(float_to_integer<std::uint64_t, rz>(0x1p64f) == ~std::uint64_t{0});
    CHECK(float_to_integer<std::uint64_t, rz>(0x1.fffffep63f) == 0xFFFFFF0000000000);
    CHECK(float_to_integer<std::int64_t, rz>(-0x1p63) == INT64_MIN);
    CHECK(float_to_integer<std::uint8_t, rn>(255.5f) == 255);
    CHECK(float_to_integer<std::int16_t, rm>(-32768.5) == -32768);
    CHECK(float_to_integer<std::int32_t, rn>(0x1.fffffffcp30) == INT32_MAX);
    CHECK(float_to_integer<std::int32_t, rp>(f32(1)) == 1);
    CHECK(float_to_integer<std::int32_t, rp, true>(f32(1)) == 0);
    // NaN: zero, but for .f64 sources and 64-bit targets.
    CHECK(float_to_integer<std::int32_t, rn>(NAN) == 0);
    CHECK(float_to_integer<std::int64_t, rn>(NAN) == INT64_MIN);
    CHECK(float_to_integer<std::uint64_t, rn>(NAN) == std::uint64_t{1} << 63);
    CHECK(float_to_integer<std::int32_t, rn>(static_cast<double>(NAN)) == INT32_MIN);
    CHECK(float_to_integer<std::uint8_t, rn>(static_cast<double>(NAN)) == 0x80);
}

TEST_CASE("integers to reals") {
    check_integer_rounding<float, std::int32_t>(to_f32<std::int32_t>);
    check_integer_rounding<float, std::uint32_t>(to_f32<std::uint32_t>);
    check_integer_rounding<float, std::int64_t>(to_f32<std::int64_t>);
    check_integer_rounding<float, std::uint64_t>(to_f32<std::uint64_t>);
    check_integer_rounding<double, std::int64_t>(to_f64<std::int64_t>);
    check_integer_rounding<double, std::uint64_t>(to_f64<std::uint64_t>);
    CHECK(integer_to<format_f16, rn>(65519) == 0x7BFF);
    CHECK(integer_to<format_f16, rn>(65520) == 0x7C00);
    CHECK(integer_to<format_f16, rz>(std::uint64_t{1} << 60) == 0x7BFF);
    // Halfway but for the last bit, which 53 bits lose.
    CHECK(integer_to<format_bf16, rn>((std::uint64_t{0x101} << 55) + 1) == 0x5F01);
    CHECK(integer_to<format_bf16, rn>(std::uint64_t{0x101} << 55) == 0x5F00);
}

TEST_CASE("whole numbers") {
    CHECK(f32_to_whole<rn>(2.5f) == 2.0f);
    CHECK(f32_to_whole<rn>(-0.25f) == 0.0f);
    CHECK(std::signbit(f32_to_whole<rn>(-0.25f)));
    CHECK(f32_to_whole<rp>(0x1p24f) == 0x1p24f);
    CHECK(f32_to_whole<rz>(-3.75f) == -3.0f);
    CHECK(f64_to_whole<rn>(0x1.8p52 - 0.5) == 0x1.8p52);
    CHECK(f64_to_whole<rn>(4503599627370495.5) == 4503599627370496.0);
    std::mt19937 random(1);
    int wrong = 0;
    for (int i = 0; i < 200000; ++i) {
        const float value = f32(static_cast<std::uint32_t>(random()));
        if (value == value) wrong += bits(round_to_whole<rn>(value)) != bits(std::nearbyint(value));
    }
    CHECK(wrong == 0);
}

TEST_CASE("between real types, NaNs as an H200 gives them") {
    CHECK(bits(f64_to_f32<rn>(f64(0xFFFE1B82AFC0E707))) == 0xFFF0DC15);
    CHECK(bits(f64_to_f32<rn, false, true>(f64(0xFFFE1B82AFC0E707))) == 0);
    std::mt19937_64 random(3);
    for (int i = 0; i < 1000; ++i) {
        const double nan = f64(random() | 0x7FF0000000000001);
        CHECK(bits(f64_to_f32<rn>(nan)) == round_to<format_f32, Rounding::rz>(nan));
    }
    CHECK(bits(f64_to_f32<rz>(1e300)) == 0x7F7FFFFF);
    CHECK(bits(f64_to_f32<rp>(1e-300)) == 1);
    CHECK(bits(f64_to_f32<rp, true>(1e-300)) == 0);
    CHECK(bits(f32_to_f64(f32(0x7F8F8000))) == 0x7FF9F00000000000);
    CHECK(bits(f32_to_f64<true>(f32(0xFFC00000))) == 0x7FFFFFFFE0000000);
    CHECK(bits(f32_to_f32(f32(0x7F8C8336))) == 0x7F8C8336);
    CHECK(bits(f32_to_f32<true>(f32(0x7F8C8336))) == 0x7FFFFFFF);
    CHECK(round_to<format_f16, rn>(f64(0xFFF4C76DBD213831)) == 0xFF31);
    CHECK(round_to<format_f16, rn>(f32(0xFFC00000)) == 0x7FFF);
    CHECK(bits(widen<format_f16>(0xFE00)) == 0x7FFFFFFF);
    CHECK(bits(widen<format_bf16>(0xFFB4)) == 0xFFB40000);
    CHECK(saturate_f64(2.0) == 1.0);
    CHECK(bits(saturate_f64(f64(0xFFF8000000000000))) == 0);
}

TEST_CASE("tf32, 8-bit formats and pairs") {
    CHECK(f32_to_tf32<Rounding::rna>(f32(0x3F801000)) == 0x3F802000);
    CHECK(f32_to_tf32<rn>(f32(0x3F801000)) == 0x3F800000);
    CHECK(f32_to_tf32<rz>(f32(0x3F801FFF)) == 0x3F800000);
    CHECK(f32_to_tf32<rn>(f32(0xFFC38000)) == 0x7FFFE000);
    CHECK(f32_to_tf32<Rounding::rna>(f32(0xFFD66EC7)) == 0xFFD66000);
    CHECK(f32_to_tf32<rn, true>(-1.0f) == 0);
    CHECK(convert_pair<format_f16, rn, false, false>(1.0f, -2.0f) == 0x3C00C000);
    CHECK(convert_pair<format_bf16, rn, false, true>(-1.0f, 2.0f) == 0x00004000);
    CHECK(convert_pair<format_e4m3, rn, true, false>(1e9f, -INFINITY) == 0x7EFE);
    CHECK(convert_pair<format_e4m3, rn, true, false>(NAN, 0x1p-9f) == 0x7F01);
    CHECK(convert_pair<format_e5m2, rn, true, false>(1e9f, 1.0f) == 0x7B3C);
    CHECK(fp8_pair_to_f16x2<format_e4m3>(0x7E38) == 0x5F003C00);
    CHECK(fp8_pair_to_f16x2<format_e5m2>(0x7CFF) == 0x7C007FFF);
}

TEST_CASE("cvt.pack") {
    CHECK(pack_saturated(70000, -70000, 0, 16, true) == 0x7FFF8000);
    CHECK(pack_saturated(-1, 70000, 0, 16, false) == 0x0000FFFF);
    CHECK(pack_saturated(300, -300, 0x1234, 8, true) == 0x12347F80);
    CHECK(pack_saturated(5, -9, 0x00ABCDEF, 4, true) == 0xABCDEF58);
}
