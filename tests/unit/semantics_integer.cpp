// Integer semantics against bit-by-bit readings of the PTX ISA's pseudo code, and values recorded on an H200.
#include <doctest/doctest.h>

#include <random>

#include "runtime_wrappers/virtual_gpu/isa/semantics.h"

namespace {

namespace s = cudash::virtual_gpu::semantics;

/// Values near every edge, and random ones of all magnitudes.
class Samples {
public:
    std::uint64_t next() {
        const std::uint64_t bits = random_() >> (random_() % 64);
        return (random_() & 3) == 0 ? 0 - bits : bits;
    }
    std::uint32_t small() { return static_cast<std::uint32_t>(random_() % 70); }

private:
    std::mt19937_64 random_{7};
};
constexpr int rounds = 20000;

/// Of a 64-bit field all bits of position and length count, of a 32-bit one the low 8.
template <class T>
int field_operand(std::uint32_t operand) {
    return static_cast<int>(sizeof(T) == 8 ? std::min(operand, 1000u) : operand & 0xFF);
}
// PTX ISA 9.7.1.19
template <class T>
T bfe_by_bits(T a, std::uint32_t b, std::uint32_t c) {
    const int top = static_cast<int>(sizeof(T) * 8) - 1;
    const int position = field_operand<T>(b), length = field_operand<T>(c);
    const auto bit = [&](int index) { return (static_cast<std::uint64_t>(a) >> index) & 1; };
    const bool is_unsigned = T(-1) > T(0);
    const std::uint64_t sign = is_unsigned || length == 0 ? 0 : bit(std::min(position + length - 1, top));
    std::uint64_t result = 0;
    for (int i = 0; i <= top; ++i) {
        result |= (i < length && position + i <= top ? bit(position + i) : sign) << i;
    }
    return static_cast<T>(result);
}
// PTX ISA 9.7.1.20
template <class T>
T bfi_by_bits(T a, T b, std::uint32_t c, std::uint32_t d) {
    const int top = static_cast<int>(sizeof(T) * 8) - 1;
    const int position = field_operand<T>(c), length = field_operand<T>(d);
    std::uint64_t result = b;
    for (int i = 0; i < length && position + i <= top; ++i) {
        result &= ~(std::uint64_t{1} << (position + i));
        result |= ((static_cast<std::uint64_t>(a) >> i) & 1) << (position + i);
    }
    return static_cast<T>(result);
}

}  // namespace

TEST_CASE("products") {
    CHECK(s::mul_hi<std::int32_t>(-1, 1) == -1);
    CHECK(s::mul_hi<std::uint32_t>(0xFFFFFFFF, 0xFFFFFFFF) == 0xFFFFFFFE);
    CHECK(s::mul_hi<std::uint64_t>(~0ull, ~0ull) == ~0ull - 1);
    CHECK(s::mul_hi<std::int64_t>(INT64_MIN, INT64_MIN) == std::int64_t{1} << 62);
    CHECK(s::mul_wide<std::int16_t>(-32768, -32768) == 1 << 30);
    CHECK(s::mad_wide<std::uint32_t>(0xFFFFFFFF, 0xFFFFFFFF, ~0ull) == 0xFFFFFFFE00000000ull);
    CHECK(s::mul24_lo<std::int32_t>(0xFFFFFF, 2) == -2);
    CHECK(s::mul24_hi<std::uint32_t>(0xFFFFFF, 0xFFFFFF) == 0xFFFFFE00);
    CHECK(s::mul_lo<std::uint16_t>(0xFFFF, 0xFFFF) == 1);
}

TEST_CASE("quotients and remainders are the host's") {
    std::mt19937_64 random(7);
    const auto agree = [&]<class T>(T) {
        std::uint64_t wrong = 0;
        for (int i = 0; i < 400'000; ++i) {
            // Numbers of any length, and neighbours of multiples, where a quotient is next to a whole number.
            const T b = static_cast<T>(random() >> (random() % (8 * sizeof(T)) + 64 - 8 * sizeof(T)));
            const T any = static_cast<T>(random() >> (random() % (8 * sizeof(T)) + 64 - 8 * sizeof(T)));
            const T a = i % 2 ? any : static_cast<T>(any / (b == 0 ? T{1} : b) * b + static_cast<T>(random() % 3) - 1);
            if (b == 0 || b == static_cast<T>(-1)) continue;
            wrong += s::div<T>(a, b) != static_cast<T>(a / b) || s::rem<T>(a, b) != static_cast<T>(a % b);
            const T minus = static_cast<T>(0 - b);
            if (std::is_signed_v<T> && minus != static_cast<T>(-1))
                wrong += s::div<T>(a, minus) != static_cast<T>(a / minus) ||
                         s::rem<T>(a, minus) != static_cast<T>(a % minus);
        }
        CHECK(wrong == 0);
    };
    agree(std::int16_t{}), agree(std::uint16_t{}), agree(std::int32_t{});
    agree(std::uint32_t{}), agree(std::int64_t{}), agree(std::uint64_t{});
}

TEST_CASE("division by zero and by -1, as an H200 gives them") {
    CHECK(s::div<std::uint32_t>(5, 0) == 0xFFFFFFFF);
    CHECK(s::rem<std::uint32_t>(0x42DE9A, 0) == 0xFFFFFFFF);
    CHECK(s::rem<std::uint64_t>(13, 0) == ~0ull);
    CHECK(s::rem<std::int16_t>(0x7FFF, 0) == -1);
    CHECK(s::div<std::int32_t>(INT32_MIN, -1) == INT32_MIN);
    CHECK(s::rem<std::int32_t>(INT32_MIN, -1) == 0);
    CHECK(s::div<std::int64_t>(INT64_MIN, -1) == INT64_MIN);
}

TEST_CASE("saturation, absolute values and sums of differences") {
    CHECK(s::add_sat(INT32_MAX, 1) == INT32_MAX);
    CHECK(s::sub_sat(INT32_MIN, 1) == INT32_MIN);
    CHECK(s::mad_hi_sat(INT32_MIN, INT32_MIN, INT32_MAX) == INT32_MAX);
    CHECK(s::abs<std::int32_t>(INT32_MIN) == INT32_MIN);
    CHECK(s::neg<std::int16_t>(-32768) == -32768);
    CHECK(s::sad<std::int32_t>(-5, 7, 100) == 112);
    CHECK(s::sad<std::uint32_t>(3, 0xFFFFFFFF, 0) == 0xFFFFFFFC);
}

TEST_CASE("carry chains add and subtract 64 bits") {
    Samples samples;
    for (int i = 0; i < rounds; ++i) {
        const std::uint64_t a = samples.next(), b = samples.next();
        const auto low =
            s::add_carry<std::uint32_t>(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), false);
        const auto high = s::add_carry<std::uint32_t>(a >> 32, b >> 32, low.carry);
        CHECK(((std::uint64_t{high.value} << 32) | low.value) == a + b);
        CHECK(high.carry == (a + b < a));
        const auto less =
            s::sub_carry<std::uint32_t>(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), true);
        const auto rest = s::sub_carry<std::uint32_t>(a >> 32, b >> 32, less.carry);
        CHECK(((std::uint64_t{rest.value} << 32) | less.value) == a - b);
        CHECK(rest.carry == (a >= b));
    }
}

TEST_CASE("shifts clamp their amount") {
    CHECK(s::shl<std::uint32_t>(1, 31) == 0x80000000);
    CHECK(s::shl<std::uint32_t>(1, 32) == 0);
    CHECK(s::shl<std::uint16_t>(0xFFFF, 16) == 0);
    CHECK(s::shl<std::uint64_t>(1, 0xFFFFFFFF) == 0);
    CHECK(s::shr<std::int32_t>(-8, 100) == -1);
    CHECK(s::shr<std::uint32_t>(0x80000000, 100) == 0);
    CHECK(s::shr<std::int16_t>(-32768, 15) == -1);
    CHECK(s::shf_l_wrap(0x80000000, 1, 33) == 3);
    CHECK(s::shf_l_clamp(0x12345678, 1, 33) == 0x12345678);
    CHECK(s::shf_r_wrap(0x80000000, 1, 31) == 3);
    CHECK(s::shf_r_clamp(0, 0x12345678, 99) == 0x12345678);
}

TEST_CASE("bit fields") {
    Samples samples;
    for (int i = 0; i < rounds; ++i) {
        const std::uint64_t a = samples.next(), b = samples.next();
        const auto a32 = static_cast<std::uint32_t>(a), b32 = static_cast<std::uint32_t>(b);
        const std::uint32_t position = samples.small() + (i % 50 == 0 ? 200 : 0), length = samples.small();
        CHECK(s::bfe(a32, position, length) == bfe_by_bits(a32, position, length));
        CHECK(s::bfe(static_cast<std::int32_t>(a32), position, length) ==
              bfe_by_bits(static_cast<std::int32_t>(a32), position, length));
        CHECK(s::bfe(a, position, length) == bfe_by_bits(a, position, length));
        CHECK(s::bfe(static_cast<std::int64_t>(a), position, length) ==
              bfe_by_bits(static_cast<std::int64_t>(a), position, length));
        CHECK(s::bfi(a32, b32, position, length) == bfi_by_bits(a32, b32, position, length));
        CHECK(s::bfi(a, b, position, length) == bfi_by_bits(a, b, position, length));
    }
    CHECK(s::bmsk_clamp(4, 8) == 0xFF0);
    CHECK(s::bmsk_clamp(28, 40) == 0xF0000000);
    CHECK(s::bmsk_clamp(32, 1) == 0);
    CHECK(s::bmsk_wrap(33, 34) == 6);
    CHECK(s::szext_clamp<std::int32_t>(0x80, 8) == -128);
    CHECK(s::szext_clamp<std::uint32_t>(0xFFFFFFFF, 40) == 0xFFFFFFFF);
    CHECK(s::szext_wrap<std::int32_t>(0xFF, 32) == 0);
}

TEST_CASE("counting and finding bits") {
    CHECK(s::popc<std::uint64_t>(~0ull) == 64);
    CHECK(s::clz<std::uint32_t>(0) == 32);
    CHECK(s::brev<std::uint32_t>(0x00000006) == 0x60000000);
    CHECK(s::brev<std::uint64_t>(1) == 0x8000000000000000);
    CHECK(s::bfind<std::uint32_t>(0) == 0xFFFFFFFF);
    CHECK(s::bfind<std::int32_t>(-1) == 0xFFFFFFFF);
    CHECK(s::bfind<std::int32_t>(-256) == 7);
    CHECK(s::bfind_shiftamt<std::uint64_t>(1) == 63);
    CHECK(s::fns(0b10110, 0, 2) == 2);
    CHECK(s::fns(0b10110, 4, -3) == 1);
    CHECK(s::fns(0b10110, 1, 0) == 1);
    CHECK(s::fns(0b10110, 0, 0) == 0xFFFFFFFF);
    CHECK(s::fns(0b10110, 0, 4) == 0xFFFFFFFF);
    CHECK(s::fns(1, 0, INT32_MIN) == 0);
}

TEST_CASE("permutations, dot products and logic") {
    CHECK(s::prmt(0x33221100, 0x77665544, 0x7531) == 0x77553311);
    CHECK(s::prmt(0x000080FF, 0x7F, 0xC98A) == 0x00FFFF00);
    const auto mode = [](s::PermuteMode which, std::uint32_t selector) {
        return s::prmt(which, 0x33221100, 0x77665544, selector);
    };
    CHECK(mode(s::PermuteMode::f4e, 1) == 0x44332211);
    CHECK(mode(s::PermuteMode::b4e, 1) == 0x66770011);
    CHECK(mode(s::PermuteMode::rc8, 6) == 0x22222222);
    CHECK(mode(s::PermuteMode::ecl, 2) == 0x33222222);
    CHECK(mode(s::PermuteMode::ecr, 1) == 0x11111100);
    CHECK(mode(s::PermuteMode::rc16, 3) == 0x33223322);
    CHECK(s::dp4a<std::int8_t, std::uint8_t>(0xFF01FF01, 0xFF02FF02, 10) == static_cast<std::uint32_t>(10 - 510 + 4));
    CHECK(s::dp2a<std::int8_t, std::uint8_t, true>(0xFFFF0002, 0x03040000, 1) == 1u + 8 - 3);
    CHECK(s::dp2a<std::uint8_t, std::uint8_t, false>(0xFFFF0002, 0x03040506, 0) == 12u + 0xFFFF * 5);
    for (std::uint32_t table = 0; table < 256; ++table) CHECK(s::lop3(0xF0, 0xCC, 0xAA, table) % 256 == table);
    CHECK(s::each_half<std::int16_t>(s::min<std::int16_t>, 0x80000001u, 0x00010002u) == 0x80000001);
}
