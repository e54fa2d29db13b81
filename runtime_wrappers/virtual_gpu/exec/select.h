// Choosing a handler at decode time: from the types and modifiers of an instruction to one instance of a template.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics.h"

namespace cudash::virtual_gpu {

/// The C++ type that computes with values of a PTX type; bits count as unsigned.
template <ptx::Type>
struct CppType;
template <>
struct CppType<ptx::Type::b8> {
    using type = std::uint8_t;
};
template <>
struct CppType<ptx::Type::u8> {
    using type = std::uint8_t;
};
template <>
struct CppType<ptx::Type::s8> {
    using type = std::int8_t;
};
template <>
struct CppType<ptx::Type::b16> {
    using type = std::uint16_t;
};
template <>
struct CppType<ptx::Type::u16> {
    using type = std::uint16_t;
};
template <>
struct CppType<ptx::Type::s16> {
    using type = std::int16_t;
};
template <>
struct CppType<ptx::Type::b32> {
    using type = std::uint32_t;
};
template <>
struct CppType<ptx::Type::u32> {
    using type = std::uint32_t;
};
template <>
struct CppType<ptx::Type::s32> {
    using type = std::int32_t;
};
template <>
struct CppType<ptx::Type::b64> {
    using type = std::uint64_t;
};
template <>
struct CppType<ptx::Type::u64> {
    using type = std::uint64_t;
};
template <>
struct CppType<ptx::Type::s64> {
    using type = std::int64_t;
};
template <>
struct CppType<ptx::Type::f32> {
    using type = float;
};
template <>
struct CppType<ptx::Type::f64> {
    using type = double;
};

/// pick<T>() for the one of `Types` that `type` is; nullptr for others.
template <ptx::Type... Types, class Pick>
Chosen for_type(ptx::Type type, Pick pick) {
    Chosen handler = nullptr;
    ((type == Types && (handler = pick.template operator()<typename CppType<Types>::type>(), true)) || ...);
    return handler;
}
template <class Pick>
Chosen for_integer(ptx::Type type, Pick pick) {
    using enum ptx::Type;
    return for_type<u16, u32, u64, s16, s32, s64>(type, pick);
}
template <class Pick>
Chosen for_bits(ptx::Type type, Pick pick) {
    using enum ptx::Type;
    return for_type<b16, b32, b64>(type, pick);
}

/// pick(std::true_type or std::false_type) for a flag.
template <class Pick>
Chosen for_flag(bool flag, Pick pick) {
    return flag ? pick(std::true_type{}) : pick(std::false_type{});
}

using semantics::Rounding;
template <Rounding R>
using RoundingConstant = std::integral_constant<Rounding, R>;

/// .rn is the default where none is written.
template <class Pick>
Chosen for_rounding(const Site& site, Pick pick) {
    if (site.has(Mod::rz)) return pick(RoundingConstant<Rounding::rz>{});
    if (site.has(Mod::rm)) return pick(RoundingConstant<Rounding::rm>{});
    if (site.has(Mod::rp)) return pick(RoundingConstant<Rounding::rp>{});
    return pick(RoundingConstant<Rounding::rn>{});
}

using semantics::Format;
template <Format F>
struct FormatConstant {
    static constexpr Format value = F;
};

/// f16 and f16x2, bf16 and bf16x2; pick(format, is_pair).
template <class Pick>
Chosen for_half(ptx::Type type, Pick pick) {
    using enum ptx::Type;
    if (type == f16) return pick(FormatConstant<semantics::format_f16>{}, std::false_type{});
    if (type == f16x2) return pick(FormatConstant<semantics::format_f16>{}, std::true_type{});
    if (type == bf16) return pick(FormatConstant<semantics::format_bf16>{}, std::false_type{});
    if (type == bf16x2) return pick(FormatConstant<semantics::format_bf16>{}, std::true_type{});
    return nullptr;
}
constexpr bool is_half(ptx::Type type) {
    using enum ptx::Type;
    return type == f16 || type == f16x2 || type == bf16 || type == bf16x2;
}

void select_store_async(Site& site);  ///< exec/async_copy.cpp

/// vabsdiff4 with selectors or saturation (exec/video.cpp); the plain form is quick.
void select_any_vabsdiff4(Site& site);

/// d, then one to four sources, all of `type`.
inline void operands_of_type(Site& site, ptx::Type type) {
    const unsigned bytes = type_bytes(type) > 4 ? 8 : 4;
    site.out.d = site.destination(site.operand(0), bytes);
    std::uint32_t* sources[] = {&site.out.a, &site.out.b, &site.out.c, &site.out.extra};
    for (std::size_t i = 1; i < site.operands() && i <= 4; ++i) *sources[i - 1] = site.source(site.operand(i), type);
}

}  // namespace cudash::virtual_gpu
