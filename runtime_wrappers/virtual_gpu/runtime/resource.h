// cudaResourceDesc: what texture and surface objects have in common.
#pragma once

#include "runtime_wrappers/virtual_gpu/runtime/array_handle.h"

namespace cudash::virtual_gpu::runtime {

/// The image of an array or mipmapped array, and its extent as it was given.
cudaError_t read_array_resource(Gpu& gpu, const cudaResourceDesc& resource, Image& image, cudaExtent& extent);

}  // namespace cudash::virtual_gpu::runtime
