#include "runtime_wrappers/libraries/curand/device_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime_wrappers/virtual_gpu/isa/approx.h"

namespace cudash::libraries::curand {
namespace {

namespace semantics = virtual_gpu::semantics;

/// a0 * x^n + a1 * x^(n-1) + ... by fused steps.
template <class T, class... More>
T polynomial(T x, T highest, More... more) {
    T sum = highest;
    ((sum = std::fma(sum, x, static_cast<T>(more))), ...);
    return sum;
}

std::uint32_t upper(double value) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
}
double with_upper(double value, std::uint32_t upper) {
    const std::uint64_t lower = std::bit_cast<std::uint64_t>(value) & 0xFFFFFFFF;
    return std::bit_cast<double>(std::uint64_t{upper} << 32 | lower);
}

}  // namespace

float log_of(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    // A power of two away, so that the rest lies around 1: from 2/3 to 4/3.
    const std::uint32_t power = (bits - 0x3F2AAAABu) & 0xFF800000u;
    const float exponent = std::fma(static_cast<float>(static_cast<std::int32_t>(power)), 0x1p-23f, 0.0f);
    const float rest = std::bit_cast<float>(bits - power) + -1.0f;
    const auto value = [](std::uint32_t constant) { return std::bit_cast<float>(constant); };
    const float sum = polynomial(rest, value(0xBE055027), value(0x3E1039F6), value(0xBDF8CDCC), value(0x3E0F2955),
                                 value(0xBE2AD8B9), value(0x3E4CED0B), value(0xBE7FFF22), value(0x3EAAAA78), -0.5f);
    return std::fma(exponent, value(0x3F317218), std::fma(rest * sum, rest, rest));
}

double log_of(double x) {
    const std::uint32_t high = upper(x);
    std::int32_t exponent = static_cast<std::int32_t>(high >> 20) - 1023;
    double rest = with_upper(x, (high & 0x800FFFFF) | 0x3FF00000);
    if (upper(rest) >= 0x3FF6A09F) {
        rest = with_upper(rest, upper(rest) - 0x100000);
        ++exponent;
    }
    const double sum = rest + 1.0;
    const double seed = semantics::evaluate<semantics::MufuRcp64h>(sum);
    const double error = std::fma(-sum, seed, 1.0);
    const double reciprocal = std::fma(std::fma(error, error, error), seed, seed);
    const double difference = rest + -1.0;
    const double half = difference * reciprocal;
    const double quotient = std::fma(difference, reciprocal, half);
    const double square = quotient * quotient;
    const double series =
        polynomial(square, std::bit_cast<double>(0x3EB1380B3AE80F1E), std::bit_cast<double>(0x3ED0EE258B7A8B04),
                   std::bit_cast<double>(0x3EF3B2669F02676F), std::bit_cast<double>(0x3F1745CBA9AB0956),
                   std::bit_cast<double>(0x3F3C71C72D1B5154), std::bit_cast<double>(0x3F624924923BE72D),
                   std::bit_cast<double>(0x3F8999999999A3C4), std::bit_cast<double>(0x3FB5555555555554));
    const double twice = (difference - quotient) + (difference - quotient);
    const double lost = reciprocal * std::fma(-quotient, difference, twice);
    const double low = std::fma(square * series, quotient, lost);
    const double powers = exponent;
    constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
    const double high_part = std::fma(powers, ln2, quotient);
    const double rounded = std::fma(-powers, ln2, high_part) - quotient;
    return high_part + std::fma(powers, ln2_low, low - rounded);
}

float exp_of(float x) {
    const auto value = [](std::uint32_t constant) { return std::bit_cast<float>(constant); };
    float steps = std::fma(x, value(0x3BBB989D), 0.5f);
    steps = steps > 1.0f ? 1.0f : (steps > 0.0f ? steps : 0.0f);
    // Rounded down: the exponent in steps of one, between -126 and 127.
    const double exact = static_cast<double>(steps) * 252.0 + static_cast<double>(value(0x4B400001));
    const float shifted = static_cast<float>(std::floor(exact));
    const float powers = shifted + value(0xCB40007F);
    const float rest = std::fma(x, value(0x32A57060), std::fma(x, value(0x3FB8AA3B), -powers));
    const float power = semantics::evaluate<semantics::MufuEx2>(rest);
    return power * std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23);
}

double exp_of(double x) {
    constexpr double shift = 0x1.8p52, log2e = 0x1.71547652b82fep0;
    const double shifted = std::fma(x, log2e, shift);
    const std::uint32_t power = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(shifted));
    const double powers = shifted + -shift;
    const double rest =
        std::fma(powers, std::bit_cast<double>(0xBC7ABC9E3B39803F), std::fma(powers, -0x1.62e42fefa39efp-1, x));
    const double series =
        polynomial(rest, std::bit_cast<double>(0x3E5ADE1569CE2BDF), std::bit_cast<double>(0x3E928AF3FCA213EA),
                   std::bit_cast<double>(0x3EC71DEE62401315), std::bit_cast<double>(0x3EFA01997C89EB71),
                   std::bit_cast<double>(0x3F2A01A014761F65), std::bit_cast<double>(0x3F56C16C1852B7AF),
                   std::bit_cast<double>(0x3F81111111122322), std::bit_cast<double>(0x3FA55555555502A1),
                   std::bit_cast<double>(0x3FC5555555555511), std::bit_cast<double>(0x3FE000000000000B), 1.0, 1.0);
    const float size = std::fabs(std::bit_cast<float>(upper(x)));
    if (size < std::bit_cast<float>(0x4086232Bu)) return with_upper(series, upper(series) + (power << 20));
    if (!(size < std::bit_cast<float>(0x40874800u))) return x < 0 ? 0.0 : x + std::numeric_limits<double>::infinity();
    // The power of two does not fit in one factor.
    const std::int32_t whole = static_cast<std::int32_t>(power), half = whole / 2;
    const double first = with_upper(series, upper(series) + (static_cast<std::uint32_t>(half) << 20));
    return first * with_upper(0.0, (static_cast<std::uint32_t>(whole - half) << 20) + 0x3FF00000);
}

SineCosine<float> fast_sine_cosine(float x) {
    return {semantics::evaluate<semantics::SinApprox>(x), semantics::evaluate<semantics::CosApprox>(x)};
}

SineCosine<double> sine_cosine_of_pi(double x) {
    const double quarters = std::nearbyint(x + x);
    const std::uint64_t quadrant = static_cast<std::uint64_t>(static_cast<std::int64_t>(quarters));
    const double rest = std::fma(-quarters, 0.5, x);
    const double angle =
        std::fma(rest, std::bit_cast<double>(0x400921FB54442D18), rest * std::bit_cast<double>(0x3CA1A62633145C07));
    const double square = angle * angle;
    double cosine =
        polynomial(square, std::bit_cast<double>(0xBDA8FF8320FD8164), std::bit_cast<double>(0x3E21EEA7C1EF8528),
                   std::bit_cast<double>(0xBE927E4F8E06E6D9), std::bit_cast<double>(0x3EFA01A019DDBCE9),
                   std::bit_cast<double>(0xBF56C16C16C15D47), std::bit_cast<double>(0x3FA5555555555551), -0.5, 1.0);
    double sine = std::fma(
        polynomial(square, std::bit_cast<double>(0x3DE5DB65F9785EBA), std::bit_cast<double>(0xBE5AE5F12CB0D246),
                   std::bit_cast<double>(0x3EC71DE369ACE392), std::bit_cast<double>(0xBF2A01A019DB62A1),
                   std::bit_cast<double>(0x3F81111111110818), std::bit_cast<double>(0xBFC5555555555554), 0.0),
        angle, angle);
    if (quadrant & 1) {
        const double negative = -sine;
        sine = cosine;
        cosine = negative;
    }
    if (quadrant & 2) {
        sine = -sine;
        cosine = -cosine;
    }
    if (x == std::trunc(x)) sine = x * 0.0;
    return {sine, cosine + 0.0};
}

}  // namespace cudash::libraries::curand
