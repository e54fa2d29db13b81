// Normally distributed numbers by the inverse of their distribution function: that of curand_normal.h, with erfcinvf()
// and erfcinv() in the order of operations and with the coefficients of the PTX that nvcc 13.0 makes for sm_90.
#include "runtime_wrappers/libraries/curand/inverse_normal.h"

#include <array>
#include <bit>
#include <cmath>

#include "runtime_wrappers/virtual_gpu/isa/approx.h"

namespace cudash::libraries::curand {
namespace {

namespace semantics = virtual_gpu::semantics;

/// c0 * x^n + c1 * x^(n-1) + ... by fused steps.
template <std::size_t count>
float polynomial(float x, const std::array<std::uint32_t, count>& coefficients) {
    float sum = std::bit_cast<float>(coefficients[0]);
    for (std::size_t i = 1; i < count; ++i) sum = std::fma(sum, x, std::bit_cast<float>(coefficients[i]));
    return sum;
}
template <std::size_t count>
double polynomial(double x, const std::array<std::uint64_t, count>& coefficients) {
    double sum = std::bit_cast<double>(coefficients[0]);
    for (std::size_t i = 1; i < count; ++i) sum = std::fma(sum, x, std::bit_cast<double>(coefficients[i]));
    return sum;
}

constexpr std::array<std::uint32_t, 10> single_middle = {0xAF8A6370, 0x3221F645, 0xB4016FDA, 0x3468F846, 0x370742AA,
                                                         0xB804DB4D, 0xBA4AFEA1, 0x3BB5C027, 0x3E24AE0F, 0x3F62DFC4};
constexpr std::array<std::uint32_t, 9> single_tail = {0xC27C73F1, 0x42FEF829, 0xC2E4361C, 0x42714D9B, 0xC1AE51B3,
                                                      0x40CEF504, 0xBFEA9E05, 0xBCF871F4, 0x3F553775};
constexpr std::array<std::uint64_t, 10> logarithm = {
    0x3FB5C5C218C775C9, 0x3FA55CF59CDC5D89, 0x3FAEFD18CF6EBB9C, 0x3FB10682EDCB8D1B, 0x3FB3B1DD3AC7FC96,
    0x3FB745CB459B54A6, 0x3FBC71C741A0669F, 0x3FC249249209112E, 0x3FC99999999A06C1, 0x3FD5555555555535};
constexpr std::array<std::uint64_t, 23> middle = {
    0xBBB135D2E746E627, 0xBC08DDF93324D327, 0x3C37B83EEF0B7C9F, 0x3C69BA72CD589B91, 0xBCA33689090A6B96,
    0x3C782E11898132E0, 0x3CFDE4ACFD9E26BA, 0xBD26D33EED66C487, 0xBD36F2167040D8E2, 0x3D872A22C2D77E20,
    0xBDAC8859C4E5C0AF, 0xBDCDC583D118A561, 0x3E120F47CCF46B3C, 0xBE31A9E38DC84D60, 0xBE5F36CD6D3D46A9,
    0x3E9C6B4F5D03B787, 0xBEB6E8A5434AE8A2, 0xBEED1D1F7B8736F6, 0x3F2879C2A212F024, 0xBF4845769484FCA8,
    0xBF78B6C33114F909, 0x3FCEBD80D9B13E28, 0x3FFA755E7C99AE86};
constexpr std::array<std::uint64_t, 8> tail_above = {0x3FEBE9222591AFAB, 0x4000A0E7333839AA, 0x4008768CF7E57D5C,
                                                     0x400B77E7E28DA583, 0x3FF34F26A4F99CF9, 0x3FC1F674ADB019ED,
                                                     0x3F75DDAE9506431D, 0x3F0ADA49AA32489C};
constexpr std::array<std::uint64_t, 9> tail_below = {0x3FF0000000000000, 0x4001E90FF51C2197, 0x40111EA3A7CF3820,
                                                     0x4011A0E4A4749594, 0x400D4E977D38C14D, 0x3FF37FD567EC0D5F,
                                                     0x3FC1FB9D7F676033, 0x3F75DDCDF98946E4, 0x3F0ADA42D79D8DBB};

/// erfcinvf(), of numbers up to 1.
float inverse_of_erfc(float x) {
    if (x >= std::bit_cast<float>(0x3B5ED289u)) {
        const float t = -semantics::evaluate<semantics::Lg2Approx<true>>((2.0f - x) * x);
        const float sum = polynomial(t, single_middle);
        return std::fma(sum, -x, sum);
    }
    const float t = -semantics::evaluate<semantics::Lg2Approx<false>>(x);
    const float root = semantics::evaluate<semantics::MufuRsqrt>(t);
    return polynomial(root, single_tail) * (root * t);
}

/// log() as erfcinv() needs it: of even powers of two.
double quick_log(double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const double power = static_cast<double>(static_cast<std::int32_t>(bits >> 52 & 2046) - 1022);
    const double rest = std::bit_cast<double>((bits & 0x801FFFFFFFFFFFFF) | 0x3FE0000000000000);
    const double sum = rest + 1.0, difference = rest + -1.0;
    double reciprocal = semantics::evaluate<semantics::MufuRcp64h>(sum);
    const double error = std::fma(-sum, reciprocal, 1.0);
    reciprocal = std::fma(std::fma(error, error, error), reciprocal, reciprocal);
    const double quotient = difference * reciprocal;
    const double lost = std::fma(-quotient, difference, std::fma(-2.0, quotient, difference));
    const double exact = std::fma(lost, reciprocal, quotient);
    const double square = exact * exact;
    const double half = std::fma(square * polynomial(square, logarithm), exact, exact);
    return std::fma(power, 0x1.62e42fefa39efp-1, half + half);
}

/// erfcinv(), of numbers from 2^-53 to 1.
double inverse_of_erfc(double x) {
    if (x >= std::bit_cast<double>(0x3F4FA4D2AD8F904D)) {
        const double sum = polynomial(-3.125 - quick_log((2.0 - x) * x), middle);
        return std::fma(sum, -x, sum);
    }
    const double t = -quick_log(x);
    double root = semantics::evaluate<semantics::MufuRsqrt64h>(t);
    const double error = std::fma(t, -(root * root), 1.0);
    root = std::fma(std::fma(0.375, error, 0.5), error * root, root);
    return polynomial(root, tail_above) / (root * polynomial(root, tail_below));
}

}  // namespace

float inverse_normal(std::uint32_t word) {
    const bool upper = word > 0x80000000u;
    const float half = std::fma(static_cast<float>(upper ? ~word : word), 0x1p-32f, 0x1p-33f);
    return (upper ? 0x1.6a09e6p0f : -0x1.6a09e6p0f) * inverse_of_erfc(half + half);
}
double inverse_normal_double(std::uint32_t word) {
    const bool upper = word > 0x80000000u;
    const double half = std::fma(static_cast<double>(upper ? ~word : word), 0x1p-32, 0x1p-33);
    return (upper ? 0x1.6a09e667f3bcdp0 : -0x1.6a09e667f3bcdp0) * inverse_of_erfc(half + half);
}
double inverse_normal_double(std::uint64_t word) {
    const std::uint64_t bits = word >> 11;
    const bool upper = bits > 0x10000000000000;
    const double half = std::fma(static_cast<double>(upper ? 0x1FFFFFFFFFFFFF - bits : bits), 0x1p-53, 0x1p-54);
    return (upper ? 0x1.6a09e667f3bcdp0 : -0x1.6a09e667f3bcdp0) * inverse_of_erfc(half + half);
}

}  // namespace cudash::libraries::curand
