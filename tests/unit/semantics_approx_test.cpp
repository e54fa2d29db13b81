// The .approx instructions: special operands by the PTX ISA's tables, and accuracy against long double.
#include <doctest/doctest.h>

#include <random>

#include "runtime_wrappers/virtual_gpu/isa/approx.h"

namespace {

using namespace cudash::virtual_gpu::semantics;

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
float f32(std::uint32_t value) {
    return std::bit_cast<float>(value);
}
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::uint32_t nan_bits = 0x7FFFFFFF;

/// How many of 100,000 operands in [low, high] give another f32 than the exact function does.
int misrounded(float low, float high, float (*ours)(float), long double (*exact)(long double)) {
    std::mt19937 random(9);
    int wrong = 0;
    for (int i = 0; i < 100000; ++i) {
        const float share = static_cast<float>(random() >> 8) * 0x1p-24f;
        const float x = low + (high - low) * share;
        wrong += bits(ours(x)) != bits(static_cast<float>(exact(x)));
    }
    return wrong;
}

}  // namespace

TEST_CASE("approximations are the exact functions, rounded") {
    CHECK(misrounded(-150.0f, 128.0f, ex2_approx_f32, [](long double x) { return std::exp2(x); }) <= 1);
    CHECK(misrounded(-1.0f, 1.0f, ex2_approx_f32, [](long double x) { return std::exp2(x); }) <= 1);
    CHECK(misrounded(0.0f, 4.0f, lg2_approx_f32, [](long double x) { return std::log2(x); }) <= 1);
    CHECK(misrounded(0.999f, 1.001f, lg2_approx_f32, [](long double x) { return std::log2(x); }) <= 1);
    CHECK(misrounded(1e-30f, 3e38f, lg2_approx_f32, [](long double x) { return std::log2(x); }) <= 1);
    CHECK(misrounded(-5.0f, 5.0f, tanh_approx_f32, [](long double x) { return std::tanh(x); }) <= 1);
    CHECK(misrounded(-0.01f, 0.01f, tanh_approx_f32, [](long double x) { return std::tanh(x); }) <= 1);
    CHECK(misrounded(1e-40f, 1.0f, rsqrt_approx_f32, [](long double x) { return 1 / std::sqrt(x); }) <= 1);
    CHECK(misrounded(0.5f, 3.0f, rcp_approx_f32, [](long double x) { return 1 / x; }) == 0);
}

TEST_CASE("sine and cosine stay within the bound of the PTX ISA") {
    std::mt19937 random(2);
    long double worst = 0;
    for (int i = 0; i < 100000; ++i) {
        const float x = (static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f) * 3.14159265f;
        worst = std::max(
            worst, std::fabs(static_cast<long double>(sin_approx_f32(x)) - std::sin(static_cast<long double>(x))));
        worst = std::max(
            worst, std::fabs(static_cast<long double>(cos_approx_f32(x)) - std::cos(static_cast<long double>(x))));
    }
    CHECK(worst < 0x1p-20L);
    CHECK(bits(sin_approx_f32(-0.0f)) == 0x80000000);
    CHECK(bits(sin_approx_f32(infinity)) == nan_bits);
    CHECK(bits(cos_approx_f32(-infinity)) == nan_bits);
    CHECK(cos_approx_f32(0.0f) == 1.0f);
    CHECK(bits(sin_approx_f32<true>(f32(1))) == 0);
    CHECK(std::fabs(sin_approx_f32(1e30f)) <= 1.0f);
}

TEST_CASE("reciprocals and roots of special operands") {
    CHECK(rcp_approx_f32(-0.0f) == -infinity);
    CHECK(bits(rcp_approx_f32(-infinity)) == 0x80000000);
    CHECK(rcp_approx_f32<true>(f32(0x807FFFFF)) == -infinity);
    CHECK(bits(rcp_approx_f32(f32(0x7F7FFFFF))) == 0x00200000);
    CHECK(bits(rcp_approx_f32<true>(f32(0x7F7FFFFF))) == 0);
    CHECK(bits(sqrt_approx_f32(-0.0f)) == 0x80000000);
    CHECK(bits(sqrt_approx_f32(-1.0f)) == nan_bits);
    CHECK(rsqrt_approx_f32(-0.0f) == -infinity);
    CHECK(bits(rsqrt_approx_f32(-1.0f)) == nan_bits);
    CHECK(bits(rsqrt_approx_f32(infinity)) == 0);
}

TEST_CASE("powers and logarithms of special operands") {
    CHECK(bits(ex2_approx_f32(-infinity)) == 0);
    CHECK(ex2_approx_f32(infinity) == infinity);
    CHECK(ex2_approx_f32(f32(0x80000001)) == 1.0f);
    CHECK(bits(ex2_approx_f32(-149.0f)) == 1);
    CHECK(bits(ex2_approx_f32<true>(-127.0f)) == 0);
    CHECK(ex2_approx_f32(128.0f) == infinity);
    CHECK(bits(ex2_approx_f32(f32(0x7F800001))) == nan_bits);
    CHECK(lg2_approx_f32(0.0f) == -infinity);
    CHECK(lg2_approx_f32(-0.0f) == -infinity);
    CHECK(bits(lg2_approx_f32(-1.0f)) == nan_bits);
    CHECK(bits(lg2_approx_f32(-infinity)) == nan_bits);
    CHECK(lg2_approx_f32(infinity) == infinity);
    CHECK(lg2_approx_f32(f32(1)) == -149.0f);
    CHECK(lg2_approx_f32<true>(f32(1)) == -infinity);
    CHECK(tanh_approx_f32(infinity) == 1.0f);
    CHECK(tanh_approx_f32(-100.0f) == -1.0f);
    CHECK(bits(tanh_approx_f32(-0.0f)) == 0x80000000);
    CHECK(bits(tanh_approx_f32(f32(0xFFC70000))) == nan_bits);
}

TEST_CASE("divisions by what is too large to invert") {
    CHECK(div_approx_f32(1.0f, 0x1p127f) == 0.0f);
    CHECK(bits(div_approx_f32(infinity, -0x1p127f)) == nan_bits);
    CHECK(div_approx_f32(6.0f, 3.0f) == 2.0f);
    CHECK(div_approx_f32(-1.0f, 0.0f) == -infinity);
    CHECK(div_full_f32(0x1p127f, 0x1p127f) == 1.0f);
    CHECK(bits(div_full_f32(0.0f, 0.0f)) == nan_bits);
}

TEST_CASE("half forms, and the upper halves of f64, as an H200 gives them") {
    CHECK(ex2_approx_half<format_f16>(0x8001) == 0x3C00);
    CHECK(ex2_approx_half<format_f16>(0x81C1) == 0x3BFF);
    CHECK(ex2_approx_half<format_f16>(0x4C00) == 0x7C00);
    CHECK(ex2_approx_half<format_bf16, true>(0xBCC2) == 0x3F7B);
    CHECK(tanh_approx_half<format_f16>(0xBB3D) == 0xB9BF);
    CHECK(tanh_approx_half<format_f16>(0x208A) == 0x2089);
    CHECK(tanh_approx_half<format_bf16>(0x3FFF) == 0x3F76);
    const auto upper = [](double value) { return std::bit_cast<std::uint64_t>(value) >> 32; };
    CHECK(upper(rcp_approx_f64(2.0)) == 0x3FE00000);
    CHECK(upper(rcp_approx_f64(std::bit_cast<double>(0xFFF2700000000000))) == 0x7FFFFFFF);
    CHECK(upper(rcp_approx_f64(std::bit_cast<double>(0x800FFFFFFFFFFFFF))) == 0xFFF00000);
    CHECK(upper(rsqrt_approx_ftz_f64(-4.0)) == 0x7FFFFFFF);
    CHECK(upper(rsqrt_approx_ftz_f64(4.0)) == 0x3FE00000);
}
