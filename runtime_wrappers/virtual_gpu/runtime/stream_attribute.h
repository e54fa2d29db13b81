// Checks of attributes that streams and launches share.
#pragma once

#include <cuda_runtime_api.h>

namespace cudash::virtual_gpu::runtime {

class Gpu;
cudaError_t check_window(Gpu& gpu, const cudaAccessPolicyWindow& window);

}  // namespace cudash::virtual_gpu::runtime
