// What one texture or surface instruction works on. Operands are offsets into the frame, as in Instruction.
#pragma once

#include <array>
#include <cstdint>

#include "runtime_wrappers/virtual_gpu/memory/image.h"

namespace cudash::virtual_gpu {

inline constexpr std::uint32_t no_operand = ~0u;

struct ImageWork {
    ImageShape shape = ImageShape::d1;  ///< as the instruction names it; never `linear`
    std::array<std::uint32_t, 4> data{no_operand, no_operand, no_operand, no_operand};  ///< destinations or sources
    std::uint32_t data_count = 0;
    std::uint32_t layer = no_operand;
    std::array<std::uint32_t, 3> coordinates{no_operand, no_operand, no_operand};

    // tex and tld4.
    enum class Detail : std::uint8_t { base, level, gradients };
    enum class Result : std::uint8_t { words, halves, half_pairs };
    bool integer_coordinates = false;
    Detail detail = Detail::base;
    Result result = Result::words;
    std::uint32_t level = no_operand;
    std::array<std::uint32_t, 3> dx{no_operand, no_operand, no_operand}, dy = dx, offsets = dx;
    std::uint32_t resident = no_operand;  ///< a predicate
    std::uint8_t component = 0;

    // suld, sust and sured.
    enum class Boundary : std::uint8_t { trap, clamp, zero };
    Boundary boundary = Boundary::trap;
    std::uint32_t element_bytes = 4;  ///< of one register
    bool formatted = false;           ///< coordinates count texels, values are converted

    std::uint32_t access_bytes() const { return element_bytes * data_count; }
};

}  // namespace cudash::virtual_gpu
