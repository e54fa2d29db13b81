// The identity of what an instruction computes: the pure function of isa/semantics_*.h that was chosen for its types
// and modifiers, with its signature. The interpreter maps the function over the lanes of a warp; another executor
// finds the same function by the same identity.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

struct LaneOperation {
    std::string_view function;           ///< as the compiler spells it: "cudash::virtual_gpu::semantics::add<int>"
    ptx::Type result = ptx::Type::none;  ///< a C++ type stands for the PTX type that holds its values
    std::array<ptx::Type, 4> sources{};  ///< of operands a, b, c and `extra`
    std::uint8_t count = 0;              ///< of sources
};

/// What was chosen for an instruction.
struct Chosen {
    Handler run = nullptr;
    Handler together = nullptr;  ///< for all warps of a block in lockstep; nullptr: warp by warp, or not at all
    const LaneOperation* operation = nullptr;  ///< nullptr: it is not a function of values, lane by lane

    constexpr Chosen() = default;
    constexpr Chosen(Handler run, Handler together = nullptr, const LaneOperation* operation = nullptr)
        : run(run), together(together), operation(operation) {}
    constexpr Chosen(std::nullptr_t) {}
    constexpr explicit operator bool() const { return run != nullptr; }
};

namespace detail {

template <class T>
consteval ptx::Type value_type() {
    using enum ptx::Type;
    if constexpr (std::same_as<T, bool>) return pred;
    if constexpr (std::same_as<T, float>) return f32;
    if constexpr (std::same_as<T, double>) return f64;
    constexpr bool is_signed = std::signed_integral<T>;
    if constexpr (sizeof(T) == 1) return is_signed ? s8 : u8;
    if constexpr (sizeof(T) == 2) return is_signed ? s16 : u16;
    if constexpr (sizeof(T) == 4) return is_signed ? s32 : u32;
    return is_signed ? s64 : u64;
}

/// "... [with auto Function = NAME; ...]" by GCC, "... [Function = NAME]" by clang.
template <auto Function>
consteval std::string_view spelled() {
    const std::string_view text = __PRETTY_FUNCTION__;
    const auto begin = text.find("Function = ") + std::string_view("Function = ").size();
    const auto end = text.find(';', begin);
    return text.substr(begin, (end == std::string_view::npos ? text.size() - 1 : end) - begin);
}

/// Its characters alone: the compiler's text has twice as many.
template <auto Function>
inline constexpr auto name = [] {
    std::array<char, spelled<Function>().size()> characters;
    std::ranges::copy(spelled<Function>(), characters.begin());
    return characters;
}();

template <auto Function, class R, class... A>
consteval LaneOperation describe(R (*)(A...)) {
    return {{name<Function>.data(), name<Function>.size()}, value_type<R>(), {value_type<A>()...}, sizeof...(A)};
}

}  // namespace detail

template <auto Function>
inline constexpr LaneOperation lane_operation = detail::describe<Function>(Function);

}  // namespace cudash::virtual_gpu
