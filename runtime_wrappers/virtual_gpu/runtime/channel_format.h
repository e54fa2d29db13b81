// cudaChannelFormatDesc and cudaResourceViewFormat as texel formats.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

#include "runtime_wrappers/virtual_gpu/memory/texel.h"

namespace cudash::virtual_gpu::runtime {

/// nullopt: no format that an array, texture or surface of the virtual GPU can have. Block-compressed and planar ones
/// are not supported.
std::optional<TexelFormat> texel_format(const cudaChannelFormatDesc& desc);
std::optional<TexelFormat> texel_format(cudaResourceViewFormat format);
/// True for kinds that a real device has and the virtual GPU lacks.
bool is_compressed(cudaChannelFormatKind kind);

}  // namespace cudash::virtual_gpu::runtime
