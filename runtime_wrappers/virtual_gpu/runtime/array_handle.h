// From handles of CUDA arrays to the arrays, and from places in arrays to rows that copies understand.
#pragma once

#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::virtual_gpu::runtime {

/// nullptr after saying why.
Array* find_array(Gpu& gpu, cudaArray_const_t handle);
MipmappedArray* find_mipmapped_array(Gpu& gpu, cudaMipmappedArray_const_t handle);

/// A part of an array: `x` and the box's width are in bytes, the rest counts rows and slices. The error says what does
/// not fit; `role` ("dst", "src") is for the message.
cudaError_t rows_of(const Array& array, std::uint64_t x, std::uint64_t y, std::uint64_t z, const Box& box,
                    const char* role, Rows& rows);

/// Whether `kind` can be that of a copy whose sides are in arrays or not.
cudaError_t check_array_kind(cudaMemcpyKind kind, bool to_array, bool from_array);

}  // namespace cudash::virtual_gpu::runtime
