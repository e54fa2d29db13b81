#include "runtime_wrappers/virtual_gpu/runtime/tensor_maps.h"

#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "runtime_wrappers/virtual_gpu/memory/tensor_map.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// The limits of the documentation; where a GPU takes more, its own (recorded on an H100:
// tests/api/calls/tensor_maps.cu).
constexpr std::uint64_t most_elements = std::uint64_t{1} << 32, most_stride = std::uint64_t{1} << 40;
constexpr std::uint32_t most_box = 256, most_step = 8, alignment = 16;

/// What is wrong with a map that is asked for.
struct Wrong {
    std::string cause, hint = {};
};
CUresult refused(const Wrong& wrong) {
    return refuse_with_hint(CUDA_ERROR_INVALID_VALUE, wrong.cause, wrong.hint);
}

std::optional<Wrong> check_address(const void* address) {
    if (reinterpret_cast<std::uint64_t>(address) % alignment == 0) return std::nullopt;
    return Wrong{fmt::format("globalAddress, {:#x}, is not a multiple of {}", reinterpret_cast<std::uint64_t>(address),
                             alignment),
                 "memory of cudaMalloc is aligned; begin the tensor there, and choose the box by its coordinates"};
}

/// Dimension `d`: its size, the way to its next index, and its share of the box.
std::optional<Wrong> read_dimension(TensorMap& map, unsigned d, const cuuint64_t* dims, const cuuint64_t* strides,
                                    const cuuint32_t* box, const cuuint32_t* steps) {
    if (dims[d] == 0 || dims[d] > most_elements)
        return Wrong{fmt::format("globalDim[{}] is {}; a dimension has 1 to 2^32 elements", d, dims[d]),
                     "the innermost dimension comes first"};
    if (d > 0 && (strides[d - 1] % alignment != 0 || strides[d - 1] >= most_stride))
        return Wrong{fmt::format("globalStrides[{}] is {}, which must be a multiple of {} below 2^40", d - 1,
                                 strides[d - 1], alignment),
                     "it counts bytes; pad the rows, as cudaMallocPitch does"};
    if (box[d] == 0 || box[d] > most_box)
        return Wrong{
            fmt::format("boxDim[{}] is {}; a box has 1 to {} elements along a dimension", d, box[d], most_box)};
    if (steps[d] == 0 || steps[d] > most_step)
        return Wrong{fmt::format("elementStrides[{}] is {}, not 1 to {}", d, steps[d], most_step),
                     "1 takes every element"};
    map.last[d] = static_cast<std::uint32_t>(dims[d] - 1);
    if (d > 0) map.strides[d - 1] = strides[d - 1];
    map.box[d] = static_cast<std::uint16_t>(box[d]);
    // Along rows every element is taken (documentation of elementStrides; so does an H100).
    map.steps[d] = d == 0 ? 1 : static_cast<std::uint8_t>(steps[d]);
    return std::nullopt;
}

/// The box in shared memory.
std::optional<Wrong> check_box(const TensorMap& map, const Gpu& gpu) {
    const std::uint32_t inner = std::uint32_t{map.box[0]} * map.element().bytes;
    if (inner % alignment != 0)
        return Wrong{fmt::format("the box's rows have {} bytes, which is not a multiple of {}", inner, alignment),
                     "boxDim[0] times the size of an element must be one"};
    if (map.swizzle_span != 0 && inner > map.swizzle_span)
        return Wrong{fmt::format("the box's rows have {} bytes, and a swizzle of {} bytes takes no longer ones", inner,
                                 map.swizzle_span),
                     "make boxDim[0] smaller, and copy several boxes"};
    if (map.copied_bytes() > gpu.profile.shared_per_multiprocessor)
        return Wrong{fmt::format("the box has {} bytes, more than the shared memory of a multiprocessor, {}",
                                 map.copied_bytes(), gpu.profile.shared_per_multiprocessor)};
    return std::nullopt;
}

std::optional<Wrong> read_modes(TensorMap& map, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapFloatOOBfill fill) {
    static constexpr std::array<std::uint8_t, 4> spans = {0, 32, 64, 128};  // by CUtensorMapSwizzle
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
        return Wrong{
            "the virtual GPU copies tensors that are not interleaved",
            "CU_TENSOR_MAP_INTERLEAVE_NONE; the other layouts are for images of 16 or 32 bytes a channel group"};
    if (static_cast<std::size_t>(swizzle) >= spans.size())
        return Wrong{
            fmt::format("{} is not a swizzle of devices of compute capability 9.0", static_cast<int>(swizzle))};
    map.swizzle_span = spans[static_cast<std::size_t>(swizzle)];
    if (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return Wrong{fmt::format("{} is not a CUtensorMapFloatOOBfill", static_cast<int>(fill))};
    map.fills_nan = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    if (map.fills_nan && !map.element().is_float)
        return Wrong{fmt::format("NaN can't stand for {} elements outside of the tensor", map.element().name),
                     "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE puts zeros there"};
    return std::nullopt;
}

}  // namespace

CUresult cuTensorMapEncodeTiled_body(Gpu& gpu, CUtensorMap* made, CUtensorMapDataType type, cuuint32_t rank,
                                     void* address, const cuuint64_t* dims, const cuuint64_t* strides,
                                     const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
    if (!made) return refused({"there is nowhere to put the map"});
    if (gpu.profile.cc_major < 9)
        return refused({fmt::format("a device of compute capability {}.{} has no tensor maps", gpu.profile.cc_major,
                                    gpu.profile.cc_minor),
                        "they came with 9.0"});
    if (static_cast<std::size_t>(type) >= TensorMap::elements.size())
        return refused({fmt::format("{} is not a type of a tensor's elements on this device", static_cast<int>(type))});
    if (rank == 0 || rank > TensorMap::most_dimensions)
        return refused({fmt::format("tensorRank is {}; a tensor has 1 to 5 dimensions", rank)});
    if (!dims || (!strides && rank > 1) || !box || !steps)
        return refused({"globalDim, globalStrides, boxDim and elementStrides must not be null"});
    TensorMap map;
    map.base = reinterpret_cast<std::uint64_t>(address);
    map.rank = static_cast<std::uint8_t>(rank);
    map.type = static_cast<std::uint8_t>(type);
    if (const auto wrong = check_address(address)) return refused(*wrong);
    for (unsigned d = 0; d < rank; ++d)
        if (const auto wrong = read_dimension(map, d, dims, strides, box, steps)) return refused(*wrong);
    if (const auto wrong = read_modes(map, interleave, swizzle, fill)) return refused(*wrong);
    if (const auto wrong = check_box(map, gpu)) return refused(*wrong);
    std::memset(static_cast<void*>(made), 0, sizeof *made);
    std::memcpy(static_cast<void*>(made), &map, sizeof map);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress_body(Gpu&, CUtensorMap* changed, void* address) {
    if (!changed) return refused({"there is no map"});
    TensorMap map;
    std::memcpy(&map, static_cast<const void*>(changed), sizeof map);
    if (map.made != TensorMap::mark) return refused({"this is not a map of cuTensorMapEncodeTiled"});
    if (const auto wrong = check_address(address)) return refused(*wrong);
    map.base = reinterpret_cast<std::uint64_t>(address);
    std::memcpy(static_cast<void*>(changed), &map, sizeof map);
    return CUDA_SUCCESS;
}

}  // namespace cudash::virtual_gpu::runtime
