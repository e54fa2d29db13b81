// Tensor maps: what cuTensorMapEncodeTiled writes and tensor copies read (PTX ISA, "Tensors"; CUDA Driver API, "Tensor
// Map Object Management"). What the 128 bytes hold is nobody else's affair, on a GPU as here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"
#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::virtual_gpu {

struct TensorMap {
    static constexpr unsigned most_dimensions = 5, bytes = 128;
    static constexpr std::uint64_t mark = 0x5445'4E53'4F52'4D50;

    /// What happens to elements on their way into shared memory.
    enum class Rounding : std::uint8_t { none, tf32 };
    struct Element {
        std::string_view name;  ///< of CUtensorMapDataType, without CU_TENSOR_MAP_DATA_TYPE_
        std::uint8_t bytes;
        ptx::Type type;  ///< of what reductions compute with
        bool is_float;
        Rounding rounding;
    };
    /// By CUtensorMapDataType, as far as devices of compute capability 9.0 have them. FLOAT32_FTZ flushes nothing when
    /// it is copied, and TFLOAT32 keeps subnormal numbers (measured on an H100).
    static constexpr std::array elements = {
        Element{"UINT8", 1, ptx::Type::u8, false, Rounding::none},
        Element{"UINT16", 2, ptx::Type::u16, false, Rounding::none},
        Element{"UINT32", 4, ptx::Type::u32, false, Rounding::none},
        Element{"INT32", 4, ptx::Type::s32, false, Rounding::none},
        Element{"UINT64", 8, ptx::Type::u64, false, Rounding::none},
        Element{"INT64", 8, ptx::Type::s64, false, Rounding::none},
        Element{"FLOAT16", 2, ptx::Type::f16, true, Rounding::none},
        Element{"FLOAT32", 4, ptx::Type::f32, true, Rounding::none},
        Element{"FLOAT64", 8, ptx::Type::f64, true, Rounding::none},
        Element{"BFLOAT16", 2, ptx::Type::bf16, true, Rounding::none},
        Element{"FLOAT32_FTZ", 4, ptx::Type::f32, true, Rounding::none},
        Element{"TFLOAT32", 4, ptx::Type::f32, true, Rounding::tf32},
        Element{"TFLOAT32_FTZ", 4, ptx::Type::f32, true, Rounding::tf32},
    };

    std::uint64_t made = mark;
    Address base = 0;
    std::uint64_t strides[most_dimensions - 1] = {};  ///< bytes from an index of dimension 1, 2, ... to the next
    std::uint32_t last[most_dimensions] = {};         ///< index of each dimension, the innermost one first
    std::uint16_t box[most_dimensions] = {1, 1, 1, 1, 1};
    std::uint8_t steps[most_dimensions] = {1, 1, 1, 1, 1};  ///< from an element that is copied to the next
    std::uint8_t rank = 1, type = 0;
    std::uint8_t swizzle_span = 0;  ///< bytes: 32, 64, 128; 0: none
    bool fills_nan = false;         ///< what lies outside of the tensor; zero otherwise

    const Element& element() const { return elements[type]; }
    /// Elements along a dimension of what a copy moves.
    std::uint32_t count(unsigned dimension) const {
        return (box[dimension] + std::uint32_t{steps[dimension]} - 1) / steps[dimension];
    }
    std::uint32_t rows() const {
        std::uint32_t all = 1;
        for (unsigned d = 1; d < rank; ++d) all *= count(d);
        return all;
    }
    std::uint32_t row_bytes() const { return count(0) * element().bytes; }
    /// What the mbarrier object counts: the rows, without the room that a swizzle leaves behind narrow ones.
    std::uint32_t copied_bytes() const { return rows() * row_bytes(); }
    /// From a row to the next in shared memory.
    std::uint32_t pitch() const { return swizzle_span ? swizzle_span : row_bytes(); }
    /// Where a byte goes in shared memory: pieces of 16 bytes change places with their address's bits 7 to 9 (PTX ISA,
    /// "Swizzling Modes"; measured on an H100 for tiles that begin at any multiple of 128).
    std::uint64_t swizzled(std::uint64_t address) const {
        const std::uint64_t pieces = swizzle_span / 16;
        return pieces ? address ^ ((address >> 7 & (pieces - 1)) << 4) : address;
    }
};
static_assert(sizeof(TensorMap) <= TensorMap::bytes && std::is_trivially_copyable_v<TensorMap>);

}  // namespace cudash::virtual_gpu
