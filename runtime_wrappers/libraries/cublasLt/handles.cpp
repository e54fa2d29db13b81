// Handles, and what concerns no product.
#include "runtime_wrappers/libraries/cublas/handle.h"

#include "runtime_wrappers/libraries/cublasLt/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::libraries::cublas_lt {
namespace {

struct Nothing {};
virtual_gpu::HandleTable<cublasLtHandle_t, Nothing>& handles() {
    static virtual_gpu::HandleTable<cublasLtHandle_t, Nothing> live(0x5000'a400'1000);
    return live;
}
/// How many answers of the heuristics a program wants kept. There are none to keep.
std::size_t cache_capacity = 8192;

}  // namespace

bool is_handle(cublasLtHandle_t handle) {
    return handles().find(handle) || cublas::find_handle(reinterpret_cast<cublasHandle_t>(handle));
}

namespace bodies {

const char* get_status_name(cublasStatus_t status) {
    return cublas::bodies::get_status_name(status);
}
const char* get_status_string(cublasStatus_t status) {
    return cublas::bodies::get_status_string(status);
}
std::size_t get_version() {
    return CUBLAS_VERSION;
}
std::size_t get_cudart_version() {
    return cublas::bodies::get_cudart_version();
}
unsigned disable_instructions(unsigned) {
    return 0;  // what was disabled before
}
cublasStatus_t log_disable() {
    return CUBLAS_STATUS_SUCCESS;  // there is none
}

cublasStatus_t create(Served&, cublasLtHandle_t* handle) {
    if (!handle) return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no place for the handle");
    if (!cublas::blas_missing().empty()) {
        virtual_gpu::runtime::refuse_with_hint(
            cudaErrorNotSupported, "cuBLASLt on the virtual GPU computes with OpenBLAS: " + cublas::blas_missing(),
            "apt-get install libopenblas0, or --device gpu");
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *handle = handles().add({});
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t destroy(Served&, cublasLtHandle_t handle) {
    return handles().remove(handle) ? CUBLAS_STATUS_SUCCESS
                                    : refuse(CUBLAS_STATUS_NOT_INITIALIZED, "the handle is not one of cublasLtCreate");
}
cublasStatus_t get_property(Served& served, libraryPropertyType type, int* value) {
    return cublas::bodies::get_property(served, type, value);
}
cublasStatus_t get_cache_capacity(Served&, std::size_t* capacity) {
    if (!capacity) return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no place for the result");
    *capacity = cache_capacity;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t set_cache_capacity(Served&, std::size_t capacity) {
    cache_capacity = capacity;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t layout_init(Served&, cublasLtMatrixLayout_t layout, std::size_t size, cudaDataType type,
                           std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
    return put_object(layout, size, {.type = type, .rows = rows, .columns = columns, .leading = leading});
}
cublasStatus_t layout_create(Served&, cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                             std::uint64_t columns, std::int64_t leading) {
    return add_object(layout, {.type = type, .rows = rows, .columns = columns, .leading = leading});
}
cublasStatus_t operation_init(Served&, cublasLtMatmulDesc_t operation, std::size_t size, cublasComputeType_t compute,
                              cudaDataType_t scale) {
    return put_object(operation, size, {.compute = compute, .scale = scale});
}
cublasStatus_t operation_create(Served&, cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                cudaDataType_t scale) {
    return add_object(operation, {.compute = compute, .scale = scale});
}
cublasStatus_t transform_init(Served&, cublasLtMatrixTransformDesc_t transform, std::size_t size, cudaDataType scale) {
    return put_object(transform, size, {.scale = scale});
}
cublasStatus_t transform_create(Served&, cublasLtMatrixTransformDesc_t* transform, cudaDataType scale) {
    return add_object(transform, {.scale = scale});
}

}  // namespace bodies
}  // namespace cudash::libraries::cublas_lt
