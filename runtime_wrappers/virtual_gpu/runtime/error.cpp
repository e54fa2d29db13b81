#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"

namespace cudash::virtual_gpu::runtime {

// "Returns the last error that has been produced by any of the runtime calls in the same instance of the CUDA Runtime
// library in the host thread and resets it to cudaSuccess."
cudaError_t cudaGetLastError(Gpu&) {
    return std::exchange(api::thread_state().last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError(Gpu&) {
    return api::thread_state().last_error;
}

}  // namespace cudash::virtual_gpu::runtime
