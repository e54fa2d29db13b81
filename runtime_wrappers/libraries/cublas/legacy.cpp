#include "runtime_wrappers/libraries/cublas/legacy.h"

#include <atomic>

#include "runtime_wrappers/libraries/cublas/handle.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"

namespace cudash::libraries::cublas::bodies {
namespace {

std::atomic<cublasHandle_t> only_handle = nullptr;
std::atomic<cublasStatus_t> last_failure = CUBLAS_STATUS_SUCCESS;

}  // namespace

cublasHandle_t legacy_handle() {
    return only_handle;
}
void note_legacy(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) last_failure = status;
}

cublasStatus_t legacy_init(Served& served) {
    if (find_handle(only_handle)) return CUBLAS_STATUS_SUCCESS;
    cublasHandle_t made = nullptr;
    const cublasStatus_t status = create(served, &made);
    if (status == CUBLAS_STATUS_SUCCESS) only_handle = made;
    return status;
}
cublasStatus_t legacy_shutdown(Served& served) {
    return destroy(served, only_handle.exchange(nullptr));
}
cublasStatus_t legacy_error() {
    return last_failure.exchange(CUBLAS_STATUS_SUCCESS);
}
cublasStatus_t legacy_version(Served& served, int* version) {
    return get_version(served, only_handle, version);
}
cublasStatus_t legacy_alloc(Served& served, int n, int elemSize, void** devicePtr) {
    if (n <= 0 || elemSize <= 0 || !devicePtr)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "n is {}, elemSize {}: both must be positive", n, elemSize);
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(elemSize);
    return virtual_gpu::runtime::cudaMalloc(served.gpu, devicePtr, size) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                                        : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t legacy_free(Served& served, void* devicePtr) {
    return virtual_gpu::runtime::cudaFree(served.gpu, devicePtr) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                                : CUBLAS_STATUS_INTERNAL_ERROR;
}
cublasStatus_t legacy_stream(Served& served, cudaStream_t stream) {
    return set_stream(served, only_handle, stream);
}

}  // namespace cudash::libraries::cublas::bodies
