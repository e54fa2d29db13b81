// f16 and bf16: conversions over all values and all midpoints, arithmetic against 128-bit arithmetic.
#include <doctest/doctest.h>

#include <random>

#include "runtime_wrappers/virtual_gpu/isa/semantics.h"

namespace {

using namespace cudash::virtual_gpu::semantics;
__extension__ using Quad = __float128;

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

/// The value by the definition of the format.
template <Format F>
double value_of(std::uint32_t code) {
    const int exponent = static_cast<int>((code & (F.sign() - 1)) >> F.mantissa_bits);
    const double fraction = code & ((1u << F.mantissa_bits) - 1);
    const double significand = exponent == 0 ? fraction : fraction + (1 << F.mantissa_bits);
    const double magnitude = std::ldexp(significand, (exponent == 0 ? 1 : exponent) - F.bias() - F.mantissa_bits);
    return (code & F.sign()) != 0 ? -magnitude : magnitude;
}

/// Rounding is right everywhere if it is right at, just below and just above every value and every midpoint.
template <Format F, class Real>
void check_rounding() {
    int wrong = 0;
    const auto expect = [&](double value, std::uint32_t rn, std::uint32_t down, std::uint32_t up) {
        const Real real = static_cast<Real>(value);
        wrong += round_to<F, Rounding::rn>(real) != rn;
        wrong += round_to<F, Rounding::rz>(real) != down;
        wrong += round_to<F, Rounding::rm>(real) != down;
        wrong += round_to<F, Rounding::rp>(real) != up;
        wrong += round_to<F, Rounding::rn>(-real) != (rn | F.sign());
        wrong += round_to<F, Rounding::rm>(-real) != (up | F.sign());
        wrong += round_to<F, Rounding::rp>(-real) != (down | F.sign());
        wrong += round_to<F, Rounding::rna>(real) != (value >= (value_of<F>(down) + value_of<F>(up)) / 2 ? up : down);
    };
    for (std::uint32_t code = 0; code < F.largest(); ++code) {
        const double low = value_of<F>(code), high = value_of<F>(code + 1), middle = (low + high) / 2;
        expect(low, code, code, code);
        const auto after = static_cast<double>(std::nextafter(static_cast<Real>(low), Real(INFINITY)));
        if (after < middle) expect(after, code, code, code + 1);
        if (static_cast<double>(static_cast<Real>(middle)) != middle) continue;
        expect(middle, code % 2 == 0 ? code : code + 1, code, code + 1);
        expect(static_cast<double>(std::nextafter(static_cast<Real>(middle), Real(INFINITY))), code + 1, code,
               code + 1);
        const auto before = static_cast<double>(std::nextafter(static_cast<Real>(middle), Real(0)));
        if (before > low) expect(before, code, code, code + 1);
    }
    CHECK(wrong == 0);
}

template <Format F>
void check_widening() {
    int wrong = 0;
    for (std::uint32_t code = 0; code < F.sign(); ++code) {
        if (code > F.largest()) continue;
        wrong += static_cast<double>(widen<F>(code)) != value_of<F>(code);
        wrong += round_to<F, Rounding::rn>(widen<F>(code)) != code;
        wrong += bits(widen<F>(code | F.sign())) != (bits(widen<F>(code)) | 0x80000000u);
    }
    CHECK(wrong == 0);
}

/// The nearest value to `exact` + `tail`, found by search: the reference for arithmetic. The tail is what 113 bits
/// could not hold of the sum; it decides ties.
template <Format F>
std::uint32_t nearest(Quad exact, Quad tail = 0) {
    const bool negative = exact < 0;
    const Quad magnitude = negative ? -exact : exact;
    std::uint32_t low = 0, high = F.infinity();
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        (static_cast<Quad>(value_of<F>(middle)) <= magnitude ? low : high) = middle;
    }
    // value_of() of infinity's code is what the next finite value would be: overflow rounds like any other value.
    const Quad twice = magnitude * 2,
               between = static_cast<Quad>(value_of<F>(low)) + static_cast<Quad>(value_of<F>(high));
    const Quad rest = negative ? -tail : tail;
    const bool is_tie = twice == between;
    const bool ties_up = rest > 0 || (rest == 0 && low % 2 != 0);
    const std::uint32_t code = twice > between || (is_tie && ties_up) ? high : low;
    return code | (negative ? F.sign() : 0u);
}

template <Format F>
void check_arithmetic() {
    std::mt19937 random(3);
    int wrong = 0, tested = 0;
    const auto sample = [&] {
        std::uint32_t code = random() & 0xFFFF;
        if (random() % 2 != 0)
            code = (code & (F.sign() | ((1u << F.mantissa_bits) - 1))) |
                   ((F.bias() - 6u + random() % 12) << F.mantissa_bits);
        return static_cast<std::uint16_t>(code);
    };
    for (int i = 0; i < 100000; ++i) {
        const std::uint16_t a = sample(), b = sample(), c = sample();
        if ((a & F.infinity()) == F.infinity() || (b & F.infinity()) == F.infinity() ||
            (c & F.infinity()) == F.infinity())
            continue;
        const Quad x = value_of<F>(a), y = value_of<F>(b), z = value_of<F>(c);
        ++tested;
        if (x + y != 0) wrong += add_half<F>(a, b) != nearest<F>(x + y);
        if (x - y != 0) wrong += sub_half<F>(a, b) != nearest<F>(x - y);
        if (x * y != 0) wrong += mul_half<F>(a, b) != nearest<F>(x * y);
        const Quad product = x * y, sum = product + z, z_part = sum - product;
        const Quad tail = (product - (sum - z_part)) + (z - z_part);
        if (sum != 0) wrong += fma_half<F>(a, b, c) != nearest<F>(sum, tail);
    }
    CHECK(tested > 50000);
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("narrow formats round at every value and midpoint") {
    check_rounding<format_f16, float>();
    check_rounding<format_f16, double>();
    check_rounding<format_bf16, float>();
    check_rounding<format_bf16, double>();
    check_rounding<format_e5m2, float>();
    check_rounding<format_e4m3, float>();
}

TEST_CASE("narrow formats widen exactly") {
    check_widening<format_f16>();
    check_widening<format_bf16>();
    check_widening<format_e5m2>();
    check_widening<format_e4m3>();
}

TEST_CASE("half arithmetic is rounded once") {
    check_arithmetic<format_f16>();
    check_arithmetic<format_bf16>();
}

TEST_CASE("special values of half arithmetic, as an H200 gives them") {
    CHECK(add_half<format_f16>(0x7C00, 0xFC00) == 0x7FFF);
    CHECK(add_half<format_bf16>(0x7F80, 0xFF80) == 0x7FFF);
    CHECK(add_half<format_f16>(0x7BFF, 0x7BFF) == 0x7C00);
    CHECK(neg_half<format_f16>(0x7E00) == 0x7FFF);
    CHECK(abs_half<format_bf16>(0xFFE8) == 0x7FFF);
    CHECK(neg_half<format_f16>(0x0000) == 0x8000);
    CHECK(min_half<format_f16>(0x0000, 0x8000) == 0x8000);
    CHECK(min_half<format_f16>(0x7E00, 0x3C00) == 0x3C00);
    CHECK(max_half<format_f16, false, true>(0x7E00, 0x3C00) == 0x7FFF);
    CHECK(min_half<format_f16, false, false, true>(0x0001, 0xFE00) == 0x8001);
    CHECK(mul_half<format_f16, true>(0x3BFF, 0x8400) == 0x8000);
    CHECK(add_half<format_f16, true>(0x03FF, 0x0000) == 0);
    CHECK(add_half<format_f16, false, Clamp::sat>(0x3C00, 0x3C00) == 0x3C00);
    CHECK(fma_half<format_f16, false, Clamp::relu>(0xBC00, 0x3C00, 0x0000) == 0);
    CHECK(fma_half<format_f16, false, Clamp::relu>(0x7E00, 0x3C00, 0x0000) == 0x7FFF);
    CHECK(fma_half<format_f16, false, Clamp::sat>(0x7E00, 0x3C00, 0x0000) == 0);
    CHECK(each_half<std::uint16_t>(add_half<format_f16>, 0x3C004000u, 0x3C003C00u) == 0x40004200);
}
