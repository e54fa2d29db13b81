// f32 and f64 arithmetic against the host's rounding modes, 128-bit arithmetic, and values recorded on an H200.
#include <doctest/doctest.h>

#include <cfenv>
#include <cstring>
#include <random>

#include "runtime_wrappers/virtual_gpu/isa/semantics.h"

namespace {

using namespace cudash::virtual_gpu::semantics;
__extension__ using Quad = __float128;

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

/// Floats of all kinds: specials, subnormals, few and many mantissa bits, close and distant exponents.
class Samples {
public:
    float next() {
        const auto random = static_cast<std::uint32_t>(random_());
        const auto near = (random & 0x807FFFFFu) | ((107 + random_() % 40) << 23);
        switch (random_() % 8) {
            case 0:
                return f32(random);
            case 1:
                return f32(random & 0x807FFFFFu);
            case 2:
                return f32((random & 0x80000000u) | (random_() % 2 != 0 ? 0x7F800000u : 0u));
            case 3:
                return f32(static_cast<std::uint32_t>(near) & 0xFFFFF000u);
            case 4:
                return f32((random & 0x80FFFFFFu) | 0x7F000000u);
            case 5:
                return f32((random & 0x80000000u) | (0x3F800000u + static_cast<std::uint32_t>(random_() % 3) - 1));
            default:
                return f32(static_cast<std::uint32_t>(near));
        }
    }

private:
    std::mt19937_64 random_{42};
};
constexpr int rounds = 200000;

/// `operation` of values the compiler cannot see through, under the host's rounding mode for R.
template <Rounding R, class Operation, class... Operands>
float by_host(Operation operation, Operands... operands) {
    volatile float result = 0;
    std::fesetround(R == Rounding::rz   ? FE_TOWARDZERO
                    : R == Rounding::rm ? FE_DOWNWARD
                    : R == Rounding::rp ? FE_UPWARD
                                        : FE_TONEAREST);
    result = operation(static_cast<const volatile float&>(operands)...);
    std::fesetround(FE_TONEAREST);
    const float value = result;
    return value != value ? nan_f32 : value;
}

template <Rounding R>
void check_against_host() {
    Samples samples;
    int wrong = 0;
    for (int i = 0; i < rounds; ++i) {
        const float a = samples.next(), b = samples.next(), c = samples.next();
        wrong += bits(add_f32<R>(a, b)) != bits(by_host<R>([](float x, float y) { return x + y; }, a, b));
        wrong += bits(sub_f32<R>(a, b)) != bits(by_host<R>([](float x, float y) { return x - y; }, a, b));
        wrong += bits(mul_f32<R>(a, b)) != bits(by_host<R>([](float x, float y) { return x * y; }, a, b));
        wrong += bits(div_f32<R>(a, b)) != bits(by_host<R>([](float x, float y) { return x / y; }, a, b));
        wrong += bits(sqrt_f32<R>(a)) != bits(by_host<R>([](float x) { return std::sqrt(x); }, a));
        wrong += bits(fma_f32<R>(a, b, c)) !=
                 bits(by_host<R>([](float x, float y, float z) { return std::fma(x, y, z); }, a, b, c));
    }
    CHECK(wrong == 0);
}

/// True if `rounded` is `exact` rounded up (down): on the right side, and its neighbour is not.
template <Rounding R>
bool is_rounded(double rounded, Quad exact) {
    if (R == Rounding::rp)
        return static_cast<Quad>(rounded) >= exact && static_cast<Quad>(std::nextafter(rounded, -INFINITY)) < exact;
    return static_cast<Quad>(rounded) <= exact && static_cast<Quad>(std::nextafter(rounded, INFINITY)) > exact;
}

}  // namespace

TEST_CASE("f32 arithmetic is rounded as IEEE 754 says, in every mode") {
    check_against_host<Rounding::rn>();
    check_against_host<Rounding::rz>();
    check_against_host<Rounding::rm>();
    check_against_host<Rounding::rp>();
}

TEST_CASE("f64 arithmetic rounded up and down encloses the exact result") {
    std::mt19937_64 random(5);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        const double a = f64((random() & 0x800FFFFFFFFFFFFFu) | (std::uint64_t{1000 + random() % 40} << 52));
        const double b = f64((random() & 0x800FFFFFFFFFFFFFu) | (std::uint64_t{1000 + random() % 40} << 52));
        const Quad x = a, y = b;
        wrong += !is_rounded<Rounding::rp>(add_f64<Rounding::rp>(a, b), x + y);
        wrong += !is_rounded<Rounding::rm>(sub_f64<Rounding::rm>(a, b), x - y);
        wrong += !is_rounded<Rounding::rp>(mul_f64<Rounding::rp>(a, b), x * y);
        wrong += !is_rounded<Rounding::rm>(mul_f64<Rounding::rm>(a, b), x * y);
        wrong += !is_rounded<Rounding::rm>(div_f64<Rounding::rm>(a, b), x / y);
        wrong += std::fabs(mul_f64<Rounding::rz>(a, b)) > std::fabs(mul_f64<Rounding::rn>(a, b));
        const double root = sqrt_f64<Rounding::rp>(std::fabs(a));
        wrong += static_cast<Quad>(root) * root < static_cast<Quad>(std::fabs(a));
    }
    CHECK(wrong == 0);
    CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("NaN: one for f32, payloads for f64, as an H200 gives them") {
    CHECK(bits(add_f32<Rounding::rn>(f32(0x7FC12345), 1.0f)) == 0x7FFFFFFF);
    CHECK(bits(mul_f32<Rounding::rz>(0.0f, -INFINITY)) == 0x7FFFFFFF);
    CHECK(bits(neg_f32(f32(0xFFC00000))) == 0x7FFFFFFF);
    CHECK(bits(add_f64<Rounding::rn>(f64(0x7FF503973CF7BB44), 1.0)) == 0x7FFD03973CF7BB44);
    CHECK(bits(add_f64<Rounding::rn>(f64(0xFFF636163BBB0A44), f64(0x7FF2FF2A6C8C2606))) == 0x7FFAFF2A6C8C2606);
    CHECK(bits(sub_f64<Rounding::rn>(INFINITY, INFINITY)) == 0xFFF8000000000000);
    CHECK(bits(sub_f64<Rounding::rm>(1.0, f64(0xFFF0000000000001))) == 0xFFF8000000000001);
    CHECK(bits(div_f64<Rounding::rn>(f64(0xFFF9A00000000000), f64(0xFFFFFFFFFFFFFFFF))) == 0xFFF9A00000000000);
    CHECK(bits(fma_f64<Rounding::rn>(f64(0x7FFF770E809F754A), -1.0, f64(0x7FF19993E49F862B))) == 0x7FF99993E49F862B);
    CHECK(bits(fma_f64<Rounding::rn>(f64(0xFFF0000000000001), f64(0xFFF8000000000000), 1.0)) == 0xFFF8000000000000);
    CHECK(bits(neg_f64(f64(0x7FF0000000000001))) == 0x7FF8000000000001);
    CHECK(bits(min_f64(f64(0xFFFFFFFFFFFFFFFF), f64(0x7FF9000000000000))) == 0x7FF9000000000000);
    CHECK(bits(sqrt_f64<Rounding::rn>(-1.0)) == 0xFFF8000000000000);
}

TEST_CASE(".ftz flushes operands, and results before they are rounded to subnormal") {
    CHECK(bits(add_f32<Rounding::rn, true>(f32(0x807FFFFF), 0.0f)) == 0);
    CHECK(bits(add_f32<Rounding::rn, true>(f32(0x80000001), f32(0x80000001))) == 0x80000000);
    // Recorded on an H200: each would round up to the least normal value.
    CHECK(bits(mul_f32<Rounding::rn, true, true>(f32(0xBF000000), f32(0x80FFFFFF))) == 0);
    CHECK(bits(mul_f32<Rounding::rm, true>(f32(0xBF7FFFFF), f32(0x00800000))) == 0x80000000);
    CHECK(bits(fma_f32<Rounding::rn, true>(f32(0xBF7FFFFF), f32(0x00800000), f32(0x00FFFFFF))) == 0);
    CHECK(bits(div_f32<Rounding::rn, true>(f32(0xBFFFFFFF), f32(0xFF000000))) == 0);
    CHECK(bits(mul_f32<Rounding::rn>(f32(0xBF000000), f32(0x80FFFFFF))) == 0x00800000);
}

TEST_CASE(".sat limits to [0, 1]") {
    CHECK(bits(add_f32<Rounding::rn, false, true>(1.0f, 1.0f)) == bits(1.0f));
    CHECK(bits(add_f32<Rounding::rn, false, true>(-1.0f, 0.5f)) == 0);
    CHECK(bits(mul_f32<Rounding::rn, false, true>(-0.0f, 1.0f)) == 0);
    CHECK(bits(mul_f32<Rounding::rn, false, true>(0.0f, INFINITY)) == 0);
}

TEST_CASE("min and max") {
    const float nan = f32(0x7FC00001);
    CHECK(bits(min_f32(0.0f, -0.0f)) == 0x80000000);
    CHECK(bits(max_f32(-0.0f, 0.0f)) == 0);
    CHECK(min_f32(nan, 2.0f) == 2.0f);
    CHECK(max_f32(2.0f, nan) == 2.0f);
    CHECK(bits(min_f32(nan, nan)) == 0x7FFFFFFF);
    CHECK(bits(max_f32<false, true>(nan, 2.0f)) == 0x7FFFFFFF);
    CHECK(min_f32<false, false, true>(-1.0f, 3.0f) == -1.0f);
    CHECK(max_f32<false, false, true>(-4.0f, -3.0f) == 4.0f);
    CHECK(bits(min_f32<true>(f32(1), 1.0f)) == 0);
}

TEST_CASE("comparisons, classes and signs") {
    CHECK(compare_lt(1.0f, 2.0f));
    CHECK_FALSE(compare_ne(NAN, 1.0f));
    CHECK_FALSE(compare_ge(NAN, 1.0f));
    CHECK(compare_neu(NAN, 1.0f));
    CHECK(compare_equ(NAN, 1.0f));
    CHECK(compare_gtu(1.0, static_cast<double>(NAN)));
    CHECK(compare_nan(1.0f, NAN));
    CHECK(compare_num(1.0f, INFINITY));
    CHECK(compare_ne<std::uint32_t>(1, 2));
    CHECK(test_subnormal(f32(1)));
    CHECK_FALSE(test_normal(f32(0x007FFFFF)));
    CHECK(test_normal(f32(0x00800000)));
    CHECK(test_infinite(-INFINITY));
    CHECK_FALSE(test_finite(NAN));
    CHECK(test_notanumber(NAN));
    CHECK(copysign_f32(-1.0f, 3.0f) == -3.0f);
    CHECK(copysign_f64(1.0, -3.0) == 3.0);
}
