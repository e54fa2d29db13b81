// Integer instructions as functions of values (PTX ISA 9.7.1 "Integer Arithmetic", 9.7.2 "Extended-Precision", 9.7.8
// "Logic and Shift"). Each is free of branches where the rule allows, so that a loop over 32 lanes becomes vector code.
// T is the instruction's type: std::uint32_t for .u32 and .b32, std::int32_t for .s32, and so on.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cudash::virtual_gpu::semantics {

template <class T>
inline constexpr std::uint32_t bits_of = sizeof(T) * 8;

template <class T>
T bits_and(T a, T b) {
    return static_cast<T>(a & b);
}
template <class T>
T bits_or(T a, T b) {
    return static_cast<T>(a | b);
}
template <class T>
T bits_xor(T a, T b) {
    return static_cast<T>(a ^ b);
}
template <class T>
T bits_not(T a) {
    return static_cast<T>(~a);
}

template <std::size_t Bytes>
struct IntegerOfSize;
template <>
struct IntegerOfSize<1> {
    using Signed = std::int8_t;
    using Unsigned = std::uint8_t;
};
template <>
struct IntegerOfSize<2> {
    using Signed = std::int16_t;
    using Unsigned = std::uint16_t;
};
template <>
struct IntegerOfSize<4> {
    using Signed = std::int32_t;
    using Unsigned = std::uint32_t;
};
template <>
struct IntegerOfSize<8> {
    using Signed = std::int64_t;
    using Unsigned = std::uint64_t;
};
template <>
struct IntegerOfSize<16> {
    using Signed = __int128;
    using Unsigned = unsigned __int128;
};
/// The integer of twice T's size and T's sign.
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, typename IntegerOfSize<2 * sizeof(T)>::Signed,
                                typename IntegerOfSize<2 * sizeof(T)>::Unsigned>;

/// Arithmetic is done without sign, in at least 32 bits: it wraps as the hardware does.
template <class T>
using Wrapping = typename IntegerOfSize<(sizeof(T) < 4 ? 4 : sizeof(T))>::Unsigned;

template <class T>
T add(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <class T>
T sub(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <class T>
T mul_lo(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
/// The full product: .wide.
template <class T>
Wide<T> mul_wide(T a, T b) {
    return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <class T>
T mul_hi(T a, T b) {
    return static_cast<T>(mul_wide(a, b) >> bits_of<T>);
}
/// The upper half of the product, of any size: .hi.
template <class T>
T high_product(T a, T b) {
    if constexpr (sizeof(T) < 8) {
        return mul_hi(a, b);
    } else {
        using Product = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
        return static_cast<T>((static_cast<Product>(a) * static_cast<Product>(b)) >> 64);
    }
}
template <class T>
T mad_lo(T a, T b, T c) {
    return add(mul_lo(a, b), c);
}
template <class T>
T mad_hi(T a, T b, T c) {
    return add(mul_hi(a, b), c);
}
template <class T>
T high_product_sum(T a, T b, T c) {
    return add(high_product(a, b), c);
}
template <class T>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
    return add<Wide<T>>(mul_wide(a, b), c);
}

/// add.sat.s32, sub.sat.s32, mad.hi.sat.s32: limited to MININT..MAXINT.
inline std::int32_t saturate_s32(std::int64_t wide) {
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t low = wide < least ? least : wide;
    return static_cast<std::int32_t>(low > most ? most : low);
}
inline std::int32_t add_sat(std::int32_t a, std::int32_t b) {
    return saturate_s32(std::int64_t{a} + b);
}
inline std::int32_t sub_sat(std::int32_t a, std::int32_t b) {
    return saturate_s32(std::int64_t{a} - b);
}
inline std::int32_t mad_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturate_s32(std::int64_t{mul_hi(a, b)} + c);
}

/// The low 24 bits of a, extended with their sign where T has one.
template <class T>
T low_24(T a) {
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << 8) >> 8);
}
template <class T>
T mul24_lo(T a, T b) {
    return mul_lo(low_24(a), low_24(b));
}
/// Bits 47..16 of the 48-bit product.
template <class T>
T mul24_hi(T a, T b) {
    return static_cast<T>(mul_wide(low_24(a), low_24(b)) >> 16);
}
template <class T>
T mad24_lo(T a, T b, T c) {
    return add(mul24_lo(a, b), c);
}
template <class T>
T mad24_hi(T a, T b, T c) {
    return add(mul24_hi(a, b), c);
}
inline std::int32_t mad24_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturate_s32(std::int64_t{mul24_hi(a, b)} + c);
}

/// Whether a quotient is what the host's division gives: not by 0, nor by -1.
template <class T>
bool is_plain_divisor(T b) {
    return b != 0 && (!std::is_signed_v<T> || b != static_cast<T>(-1));
}
/// Vector units divide no integers. A double's quotient, cut, is that of integers of up to 52 bits: it is off by less
/// than any two quotients that are not whole lie apart from a whole number.
template <class T>
T quotient(T a, T b) {
    if constexpr (sizeof(T) <= 4) return static_cast<T>(static_cast<double>(a) / static_cast<double>(b));
    return static_cast<T>(a / b);
}

/// Division by zero "yields an unspecified, machine-specific value": all ones. MININT / -1 wraps to MININT.
template <class T>
T div(T a, T b) {
    const T found = quotient(a, is_plain_divisor(b) ? b : T{1}), by_minus_one = sub<T>(0, a);
    const T not_by_zero = is_plain_divisor(b) ? found : by_minus_one;
    return b == 0 ? static_cast<T>(~T{0}) : not_by_zero;
}
/// The remainder by zero is all ones, too; that by -1 is 0.
template <class T>
T rem(T a, T b) {
    const T divisor = is_plain_divisor(b) ? b : T{1};
    return b == 0 ? static_cast<T>(~T{0}) : sub<T>(a, mul_lo<T>(quotient(a, divisor), divisor));
}

template <class T>
T neg(T a) {
    return sub<T>(0, a);
}
template <class T>
T abs(T a) {
    return a < 0 ? sub<T>(0, a) : a;
}
template <class T>
T min(T a, T b) {
    return a < b ? a : b;
}
template <class T>
T max(T a, T b) {
    return a > b ? a : b;
}
/// min.relu, max.relu: negative results become 0.
template <class T>
T relu(T a) {
    return a < 0 ? T{0} : a;
}
/// c + |a - b|
template <class T>
T sad(T a, T b, T c) {
    return add(c, a < b ? sub(b, a) : sub(a, b));
}

/// A result and the flag that add.cc, addc, sub.cc, subc, mad.cc and madc leave in CC.CF. Subtractions add the
/// complement, so that after them the flag is set where nothing was borrowed: what addc reads after sub.cc, and subc
/// after add.cc, on an H200.
template <class T>
struct WithCarry {
    T value;
    bool carry;
};
template <class T>
WithCarry<T> add_carry(T a, T b, bool carry) {
    using U = std::make_unsigned_t<T>;
    const U partial = static_cast<U>(a) + static_cast<U>(b);
    const U sum = partial + static_cast<U>(carry);
    return {static_cast<T>(sum), partial < static_cast<U>(a) || sum < partial};
}
/// a - b - (carry ? 0 : 1)
template <class T>
WithCarry<T> sub_carry(T a, T b, bool carry) {
    return add_carry(a, static_cast<T>(~b), carry);
}

/// "Shift amounts greater than the register width N are clamped to N" (PTX ISA 9.7.8.8, 9.7.8.9).
template <class T>
T shl(T a, std::uint32_t amount) {
    using U = Wrapping<T>;
    const U shifted = static_cast<U>(a) << (amount & (bits_of<U> - 1));
    return amount < bits_of<T> ? static_cast<T>(shifted) : T{0};
}
template <class T>
T shr(T a, std::uint32_t amount) {
    if constexpr (std::is_signed_v<T>) {
        return static_cast<T>(a >> min<std::uint32_t>(amount, bits_of<T> - 1));
    } else {
        return amount < bits_of<T> ? static_cast<T>(a >> (amount & (bits_of<T> - 1))) : T{0};
    }
}

/// Funnel shifts of the 64-bit value b:a. The amount wraps at 32 or is clamped to 32.
inline std::uint32_t shf_l_wrap(std::uint32_t a, std::uint32_t b, std::uint32_t amount) {
    return static_cast<std::uint32_t>((((std::uint64_t{b} << 32) | a) << (amount & 31)) >> 32);
}
inline std::uint32_t shf_l_clamp(std::uint32_t a, std::uint32_t b, std::uint32_t amount) {
    return static_cast<std::uint32_t>((((std::uint64_t{b} << 32) | a) << min<std::uint32_t>(amount, 32)) >> 32);
}
inline std::uint32_t shf_r_wrap(std::uint32_t a, std::uint32_t b, std::uint32_t amount) {
    return static_cast<std::uint32_t>(((std::uint64_t{b} << 32) | a) >> (amount & 31));
}
inline std::uint32_t shf_r_clamp(std::uint32_t a, std::uint32_t b, std::uint32_t amount) {
    return static_cast<std::uint32_t>(((std::uint64_t{b} << 32) | a) >> min<std::uint32_t>(amount, 32));
}

template <class T>
T cnot(T a) {
    return a == 0 ? T{1} : T{0};
}
/// For each bit, the bit of `table` at index a:b:c (PTX ISA 9.7.8.6).
inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
    std::uint32_t result = 0;
    for (std::uint32_t index = 0; index < 8; ++index) {
        const std::uint32_t chosen = 0u - ((table >> index) & 1u);
        result |= chosen & (index & 4 ? a : ~a) & (index & 2 ? b : ~b) & (index & 1 ? c : ~c);
    }
    return result;
}

}  // namespace cudash::virtual_gpu::semantics
