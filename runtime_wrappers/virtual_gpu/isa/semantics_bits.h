// Instructions that look at single bits and bytes: bit fields, counting, permuting, dot products of bytes, and the
// paired 16-bit integers (PTX ISA 9.7.1).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/isa/semantics_integer.h"

namespace cudash::virtual_gpu::semantics {

template <class T>
std::uint32_t popc(T a) {
    return static_cast<std::uint32_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
}
template <class T>
std::uint32_t clz(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
}
template <class T>
T brev(T a) {
    using U = std::make_unsigned_t<T>;
    U bits = static_cast<U>(a);
    bits = ((bits >> 1) & static_cast<U>(0x5555555555555555)) | ((bits & static_cast<U>(0x5555555555555555)) << 1);
    bits = ((bits >> 2) & static_cast<U>(0x3333333333333333)) | ((bits & static_cast<U>(0x3333333333333333)) << 2);
    bits = ((bits >> 4) & static_cast<U>(0x0F0F0F0F0F0F0F0F)) | ((bits & static_cast<U>(0x0F0F0F0F0F0F0F0F)) << 4);
    if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(bits));
    if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(bits));
}
/// The position of the most significant bit that is not a copy of the sign; all ones if there is none.
template <class T>
std::uint32_t bfind(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(a < 0 ? ~a : a);
    return bits_of<T> - 1 - clz(bits);
}
/// bfind.shiftamt: how far to shift left until that bit is on top.
template <class T>
std::uint32_t bfind_shiftamt(T a) {
    const std::uint32_t position = bfind(a);
    return position == ~0u ? position : bits_of<T> - 1 - position;
}

/// `length` ones from bit 0, all ones from length >= the width on.
template <class U>
U ones(std::uint32_t length) {
    return length < bits_of<U> ? static_cast<U>((U{1} << (length & (bits_of<U> - 1))) - 1) : static_cast<U>(~U{0});
}

/// "Operands b and c are restricted to the 8-bit value range 0..255" (PTX ISA, bfe and bfi): of larger ones the low 8
/// bits count where the field is in a 32-bit value; an H200 takes all bits of those for a 64-bit value.
template <class T>
std::uint32_t field_operand(std::uint32_t operand) {
    return sizeof(T) == 8 ? operand : operand & 0xFF;
}

/// The field of `length` bits at `position`; beyond the top come sign bits (.s32, .s64) or zeros.
template <class T>
T bfe(T a, std::uint32_t position, std::uint32_t length) {
    using U = std::make_unsigned_t<T>;
    constexpr std::uint32_t top = bits_of<T> - 1;
    position = min<std::uint32_t>(field_operand<T>(position), bits_of<T>);
    length = min<std::uint32_t>(field_operand<T>(length), bits_of<T>);
    const U mask = ones<U>(length);
    const U field = static_cast<U>(shr(a, position));
    if constexpr (std::is_signed_v<T>) {
        const std::uint32_t sign_position = min(position + length - 1, top);
        const bool negative = length != 0 && ((static_cast<U>(a) >> (sign_position & top)) & 1) != 0;
        return static_cast<T>((field & mask) | (negative ? ~mask : U{0}));
    } else {
        return field & mask;
    }
}
/// b with the low `length` bits of a put at `position`.
template <class U>
U bfi(U a, U b, std::uint32_t position, std::uint32_t length) {
    position = field_operand<U>(position);
    length = field_operand<U>(length);
    const U mask = shl(ones<U>(length), position);
    return (b & ~mask) | (shl(a, position) & mask);
}

/// A mask of `width` ones from `position`: .clamp cuts what lies beyond bit 31, .wrap takes both modulo 32.
inline std::uint32_t bmsk_clamp(std::uint32_t position, std::uint32_t width) {
    return shl(ones<std::uint32_t>(width), position);
}
inline std::uint32_t bmsk_wrap(std::uint32_t position, std::uint32_t width) {
    return bmsk_clamp(position & 31, width & 31);
}
/// The low b bits of a, extended to 32 with the topmost of them (s32) or zeros (u32).
template <class T>
T szext_clamp(T a, std::uint32_t width) {
    return bfe(a, 0, min<std::uint32_t>(width, 32));
}
template <class T>
T szext_wrap(T a, std::uint32_t width) {
    return bfe(a, 0, width & 31);
}

/// The position of the `offset`th set bit of `mask` from `base` on, upwards or (negative) downwards; all ones if none.
/// The least offset, which has no counterpart upwards, gives zero on an H200.
inline std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
    if (offset == std::numeric_limits<std::int32_t>::min()) return 0;
    if (offset == 0) return base < 32 && ((mask >> base) & 1) != 0 ? base : ~0u;
    const std::int64_t step = offset > 0 ? 1 : -1;
    std::int64_t left = offset > 0 ? std::int64_t{offset} : -std::int64_t{offset};
    for (std::int64_t position = base; position >= 0 && position < 32; position += step) {
        if (((mask >> position) & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(position);
    }
    return ~0u;
}

/// Bytes of b:a (b7 is the top byte of b) chosen by the nibbles of the selector; bit 3 of a nibble spreads the sign.
inline std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    const std::uint64_t bytes = (std::uint64_t{b} << 32) | a;
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t choice = selector >> (4 * i);
        const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (choice & 7))) & 0xFF;
        const std::uint32_t sign = 0u - (byte >> 7);
        result |= ((choice & 8 ? sign : byte) & 0xFF) << (8 * i);
    }
    return result;
}
/// The modes of prmt that take only bits 1..0 of the selector (PTX ISA 9.7.8.7, table of modes).
enum class PermuteMode : std::uint8_t { f4e, b4e, rc8, ecl, ecr, rc16 };
inline std::uint32_t prmt(PermuteMode mode, std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    static constexpr std::uint16_t selectors[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543},  // f4e: four bytes extracted forwards
        {0x5670, 0x6701, 0x7012, 0x0123},  // b4e: four bytes extracted backwards
        {0x0000, 0x1111, 0x2222, 0x3333},  // rc8: one byte replicated
        {0x3210, 0x3211, 0x3222, 0x3333},  // ecl: edge clamped to the left
        {0x0000, 0x1110, 0x2210, 0x3210},  // ecr: edge clamped to the right
        {0x1010, 0x3232, 0x1010, 0x3232},  // rc16: one half replicated
    };
    return prmt(a, b, selectors[static_cast<std::size_t>(mode)][selector & 3]);
}

/// Byte or half `index` of `word`, extended as T says.
template <class T>
std::int32_t part(std::uint32_t word, std::uint32_t index) {
    return static_cast<T>(word >> (bits_of<T> * index));
}
/// c + the sum of four byte products. A and B are std::uint8_t or std::int8_t.
template <class A, class B>
std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (std::uint32_t i = 0; i < 4; ++i) c += static_cast<std::uint32_t>(part<A>(a, i) * part<B>(b, i));
    return c;
}
/// c + the sum of the two 16-bit halves of a times the two low (or high) bytes of b.
template <class A, class B, bool High>
std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    using HalfA = std::conditional_t<std::is_signed_v<A>, std::int16_t, std::uint16_t>;
    for (std::uint32_t i = 0; i < 2; ++i) {
        c += static_cast<std::uint32_t>(part<HalfA>(a, i)) * static_cast<std::uint32_t>(part<B>(b, i + (High ? 2 : 0)));
    }
    return c;
}

/// `operation` on the low and the high 16 bits: .u16x2 and .s16x2 with T a 16-bit integer, .f16x2 and .bf16x2 with
/// T = std::uint16_t.
template <class T, class Operation, class... Words>
std::uint32_t each_half(Operation operation, Words... words) {
    const auto low = static_cast<std::uint16_t>(operation(static_cast<T>(words)...));
    const auto high = static_cast<std::uint16_t>(operation(static_cast<T>(words >> 16)...));
    return low | (std::uint32_t{high} << 16);
}

}  // namespace cudash::virtual_gpu::semantics
