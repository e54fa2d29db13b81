// The .approx instructions: special operands by the PTX ISA's tables, and results of an H200.
#include <doctest/doctest.h>

#include <initializer_list>
#include <utility>

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

float rcp_approx(float a) {
    return evaluate<RcpApprox<false>>(a);
}
float rcp_approx_ftz(float a) {
    return evaluate<RcpApprox<true>>(a);
}
float sqrt_approx(float a) {
    return evaluate<SqrtApprox<false>>(a);
}
float rsqrt_approx(float a) {
    return evaluate<RsqrtApprox<false>>(a);
}
float ex2_approx(float a) {
    return evaluate<Ex2Approx<false>>(a);
}
float ex2_approx_ftz(float a) {
    return evaluate<Ex2Approx<true>>(a);
}
float lg2_approx(float a) {
    return evaluate<Lg2Approx<false>>(a);
}
float lg2_approx_ftz(float a) {
    return evaluate<Lg2Approx<true>>(a);
}
float sin_approx(float a) {
    return evaluate<SinApprox>(a);
}
float cos_approx(float a) {
    return evaluate<CosApprox>(a);
}
float tanh_approx(float a) {
    return evaluate<TanhApprox>(a);
}
float div_approx(float a, float b) {
    return evaluate<DivApprox<false>>(a, b);
}
float div_full(float a, float b) {
    return evaluate<DivFull<false>>(a, b);
}

/// Operands and what an H200 makes of them.
template <class Function>
void check_values(std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> pairs) {
    for (const auto& [operand, result] : pairs) CHECK(bits(evaluate<Function>(f32(operand))) == result);
}

}  // namespace

// tests/hardware/special_functions has hashes of all operands' results.
TEST_CASE("the special function unit gives what an H200 gives") {
    check_values<RcpApprox<true>>({{0x1D93F882, 0x615D72FF},
                                   {0x384E73E0, 0x469EB81F},
                                   {0x3E9E4E7F, 0x404EFD9F},
                                   {0x3F62A4DB, 0x3F909446},
                                   {0x3FE16F52, 0x3F115ACA},
                                   {0x4026A602, 0x3EC4A125},
                                   {0x40A7CAD0, 0x3E434A04},
                                   {0x41EB369A, 0x3D0B4FD6},
                                   {0x487ED0E9, 0x36809840}});
    check_values<RsqrtApprox<true>>({{0x1D93F882, 0x506E1945},
                                     {0x384E73E0, 0x430E88D0},
                                     {0x3E9E4E7F, 0x3FE631DB},
                                     {0x3F62A4DB, 0x3F88098A},
                                     {0x3FE16F52, 0x3F40E6A6},
                                     {0x4026A602, 0x3F1EA565},
                                     {0x40A7CAD0, 0x3EDF97EA},
                                     {0x41EB369A, 0x3E3CD945},
                                     {0x487ED0E9, 0x3B004C09}});
    check_values<SqrtApprox<true>>({{0x1D93F882, 0x2E899FA4},
                                    {0x384E73E0, 0x3BE5E536},
                                    {0x3E9E4E7F, 0x3F0E595A},
                                    {0x3F62A4DB, 0x3F70E00C},
                                    {0x3FE16F52, 0x3FA9DE9A},
                                    {0x4026A602, 0x3FCE8C3F},
                                    {0x40A7CAD0, 0x40128D3D},
                                    {0x41EB369A, 0x40AD83BA},
                                    {0x487ED0E9, 0x43FF6847}});
    check_values<Lg2Approx<true>>({{0x1D93F882, 0xC28794E7},
                                   {0x384E73E0, 0xC164F71F},
                                   {0x3E9E4E7F, 0xBFD8C20E},
                                   {0x3F62A4DB, 0xBE33EEE7},
                                   {0x3FE16F52, 0x3F510A85},
                                   {0x4026A602, 0x3FB0B99B},
                                   {0x40A7CAD0, 0x4018FE7A},
                                   {0x41EB369A, 0x409C1726},
                                   {0x487ED0E9, 0x418FF24D}});
    check_values<Ex2Approx<true>>({{0x1D93F882, 0x3F800000},
                                   {0x384E73E0, 0x3F80011E},
                                   {0x3E9E4E7F, 0x3F9E9804},
                                   {0x3F62A4DB, 0x3FEC708B},
                                   {0x3FE16F52, 0x4058F2DB},
                                   {0x4026A602, 0x40C288D6},
                                   {0x40A7CAD0, 0x421788F7},
                                   {0x41EB369A, 0x4E291772},
                                   {0x487ED0E9, 0x7F800000}});
    check_values<SinApprox>({{0x1D93F882, 0x00000000},
                             {0x384E73E0, 0x384DC86C},
                             {0x3E9E4E7F, 0x3E9BCBD2},
                             {0x3F62A4DB, 0x3F462CE5},
                             {0x3FE16F52, 0x3F7B5F82},
                             {0x4026A602, 0x3F031D9E},
                             {0x40A7CAD0, 0xBF5CBBD9},
                             {0x41EB369A, 0xBF673C7E},
                             {0x487ED0E9, 0xBEB84426}});
    check_values<CosApprox>({{0x1D93F882, 0x3F800000},
                             {0x384E73E0, 0x3F7FFFFF},
                             {0x3E9E4E7F, 0x3F73DC40},
                             {0x3F62A4DB, 0x3F220E9E},
                             {0x3FE16F52, 0xBE41CE91},
                             {0x4026A602, 0xBF5BDFCB},
                             {0x40A7CAD0, 0x3F01A9D4},
                             {0x41EB369A, 0xBEDBB043},
                             {0x487ED0E9, 0xBF6ED89E}});
    check_values<TanhApprox>({{0x1D93F882, 0x1D93F882},
                              {0x384E73E0, 0x384E73E0},
                              {0x3E9E4E7F, 0x3E9972A3},
                              {0x3F62A4DB, 0x3F358619},
                              {0x3FE16F52, 0x3F7150AA},
                              {0x4026A602, 0x3F7D367B},
                              {0x40A7CAD0, 0x3F7FFC57},
                              {0x41EB369A, 0x3F800000},
                              {0x487ED0E9, 0x3F800000}});
    // At the ends of segments and quarters, and where nothing is looked up.
    check_values<RsqrtApprox<true>>({{0x3F800000, 0x3F800000}, {0x3F800001, 0x3F7FFFFE}, {0x40800000, 0x3F000000}});
    check_values<Lg2Approx<true>>({{0x3F800000, 0}, {0x3F800001, 0x3495F600}, {0x3F7FFFFF, 0xB24B4000}});
    check_values<Ex2Approx<true>>({{0xBF800000, 0x3F000000}, {0xBF800001, 0x3EFFFFFE}, {0xBE800000, 0x3F5744FC}});
    check_values<SinApprox>({{0x35000000, 0x34C91200}, {0x34000000, 0}, {0xB4000000, 0x80000000}});
    check_values<TanhApprox>({{0x3B800001, 0x3B800000}, {0x3B7FFFFF, 0x3B7FFFFF}, {0x3C000000, 0x3BFFFF00}});
}

TEST_CASE("sine and cosine of special operands") {
    CHECK(bits(sin_approx(-0.0f)) == 0x80000000);
    CHECK(bits(sin_approx(infinity)) == nan_bits);
    CHECK(bits(cos_approx(-infinity)) == nan_bits);
    CHECK(cos_approx(0.0f) == 1.0f);
    CHECK(bits(sin_approx(f32(1))) == 0);
    CHECK(bits(sin_approx(1e30f)) == 0);
}

TEST_CASE("reciprocals and roots of special operands") {
    CHECK(rcp_approx(-0.0f) == -infinity);
    CHECK(bits(rcp_approx(-infinity)) == 0x80000000);
    CHECK(rcp_approx_ftz(f32(0x807FFFFF)) == -infinity);
    CHECK(bits(rcp_approx(f32(0x7F7FFFFF))) == 0x00200000);
    CHECK(bits(rcp_approx_ftz(f32(0x7F7FFFFF))) == 0);
    CHECK(bits(sqrt_approx(-0.0f)) == 0x80000000);
    CHECK(bits(sqrt_approx(-1.0f)) == nan_bits);
    CHECK(rsqrt_approx(-0.0f) == -infinity);
    CHECK(bits(rsqrt_approx(-1.0f)) == nan_bits);
    CHECK(bits(rsqrt_approx(infinity)) == 0);
}

TEST_CASE("powers and logarithms of special operands") {
    CHECK(bits(ex2_approx(-infinity)) == 0);
    CHECK(ex2_approx(infinity) == infinity);
    CHECK(ex2_approx(f32(0x80000001)) == 1.0f);
    CHECK(bits(ex2_approx(-149.0f)) == 1);
    CHECK(bits(ex2_approx_ftz(-127.0f)) == 0);
    CHECK(ex2_approx(128.0f) == infinity);
    CHECK(bits(ex2_approx(f32(0x7F800001))) == nan_bits);
    CHECK(lg2_approx(0.0f) == -infinity);
    CHECK(lg2_approx(-0.0f) == -infinity);
    CHECK(bits(lg2_approx(-1.0f)) == nan_bits);
    CHECK(bits(lg2_approx(-infinity)) == nan_bits);
    CHECK(lg2_approx(infinity) == infinity);
    CHECK(lg2_approx(f32(1)) == -149.0f);
    CHECK(lg2_approx_ftz(f32(1)) == -infinity);
    CHECK(tanh_approx(infinity) == 1.0f);
    CHECK(tanh_approx(-100.0f) == -1.0f);
    CHECK(bits(tanh_approx(-0.0f)) == 0x80000000);
    CHECK(bits(tanh_approx(f32(0xFFC70000))) == nan_bits);
}

TEST_CASE("divisions by what is too large to invert") {
    CHECK(div_approx(1.0f, 0x1p127f) == 0.0f);
    CHECK(bits(div_approx(infinity, -0x1p127f)) == nan_bits);
    CHECK(div_approx(6.0f, 3.0f) == 2.0f);
    CHECK(div_approx(-1.0f, 0.0f) == -infinity);
    CHECK(div_full(0x1p127f, 0x1p127f) == 1.0f);
    CHECK(bits(div_full(0.0f, 0.0f)) == nan_bits);
}

TEST_CASE("half forms, and the upper halves of f64, as an H200 gives them") {
    CHECK(evaluate<OfHalf<MufuEx2, format_f16>, std::uint16_t>(0x8001) == 0x3C00);
    CHECK(evaluate<OfHalf<MufuEx2, format_f16>, std::uint16_t>(0x81C1) == 0x3BFF);
    CHECK(evaluate<OfHalf<MufuEx2, format_f16>, std::uint16_t>(0x4C00) == 0x7C00);
    CHECK(evaluate<OfHalf<MufuEx2, format_bf16, true>, std::uint16_t>(0xBCC2) == 0x3F7B);
    CHECK(evaluate<OfHalf<MufuTanh, format_f16>, std::uint16_t>(0xBB3D) == 0xB9BF);
    CHECK(evaluate<OfHalf<MufuTanh, format_f16>, std::uint16_t>(0x208A) == 0x2089);
    CHECK(evaluate<OfHalf<MufuTanh, format_bf16>, std::uint16_t>(0x3FFF) == 0x3F76);
    const auto upper = [](double value) { return std::bit_cast<std::uint64_t>(value) >> 32; };
    CHECK(upper(evaluate<MufuRcp64h>(2.0)) == 0x3FE00000);
    CHECK(upper(evaluate<MufuRcp64h>(std::bit_cast<double>(0xFFF2700000000000))) == 0x7FFFFFFF);
    CHECK(upper(evaluate<MufuRcp64h>(std::bit_cast<double>(0x800FFFFFFFFFFFFF))) == 0xFFF00000);
    CHECK(upper(evaluate<MufuRsqrt64h>(-4.0)) == 0x7FFFFFFF);
    CHECK(upper(evaluate<MufuRsqrt64h>(4.0)) == 0x3FE00000);
}
