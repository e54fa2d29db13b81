// cuTensorMapEncodeTiled and cuTensorMapReplaceAddress (CUDA Driver API, "Tensor Map Object Management").
#pragma once

#include <cuda.h>

namespace cudash::virtual_gpu::runtime {

class Gpu;

CUresult cuTensorMapEncodeTiled_body(Gpu& gpu, CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                     void* address, const cuuint64_t* dims, const cuuint64_t* strides,
                                     const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                     CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapReplaceAddress_body(Gpu& gpu, CUtensorMap* map, void* address);

}  // namespace cudash::virtual_gpu::runtime
