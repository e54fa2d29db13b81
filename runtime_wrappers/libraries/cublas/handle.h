// Handles of cuBLAS, and what concerns no matrix.
#pragma once

#include "runtime_wrappers/libraries/cublas/request.h"

namespace cudash::libraries::cublas::bodies {

using Int = std::int64_t;

const char* get_status_name(cublasStatus_t status);
const char* get_status_string(cublasStatus_t status);
std::size_t get_cudart_version();

cublasStatus_t create(Served& served, cublasHandle_t* handle);
cublasStatus_t destroy(Served& served, cublasHandle_t handle);
cublasStatus_t get_version(Served& served, cublasHandle_t handle, int* version);
cublasStatus_t get_property(Served& served, libraryPropertyType type, int* value);
cublasStatus_t set_workspace(Served& served, cublasHandle_t handle, void* workspace, std::size_t size);
cublasStatus_t set_stream(Served& served, cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t get_stream(Served& served, cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t set_pointer_mode(Served& served, cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t get_pointer_mode(Served& served, cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t set_atomics_mode(Served& served, cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t get_atomics_mode(Served& served, cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t set_math_mode(Served& served, cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t get_math_mode(Served& served, cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t set_sm_count_target(Served& served, cublasHandle_t handle, int smCountTarget);
cublasStatus_t get_sm_count_target(Served& served, cublasHandle_t handle, int* smCountTarget);

cublasStatus_t set_emulation_strategy(Served& served, cublasHandle_t handle, cublasEmulationStrategy_t strategy);
cublasStatus_t get_emulation_strategy(Served& served, cublasHandle_t handle, cublasEmulationStrategy_t* strategy);
cublasStatus_t set_emulation_special_values_support(Served& served, cublasHandle_t handle,
                                                    cudaEmulationSpecialValuesSupport mask);
cublasStatus_t get_emulation_special_values_support(Served& served, cublasHandle_t handle,
                                                    cudaEmulationSpecialValuesSupport* mask);
cublasStatus_t set_mantissa_control(Served& served, cublasHandle_t handle, cudaEmulationMantissaControl control);
cublasStatus_t get_mantissa_control(Served& served, cublasHandle_t handle, cudaEmulationMantissaControl* control);
cublasStatus_t set_max_mantissa_bit_count(Served& served, cublasHandle_t handle, int count);
cublasStatus_t get_max_mantissa_bit_count(Served& served, cublasHandle_t handle, int* count);
cublasStatus_t set_mantissa_bit_offset(Served& served, cublasHandle_t handle, int offset);
cublasStatus_t get_mantissa_bit_offset(Served& served, cublasHandle_t handle, int* offset);
cublasStatus_t set_mantissa_bit_count_pointer(Served& served, cublasHandle_t handle, int* count);
cublasStatus_t get_mantissa_bit_count_pointer(Served& served, cublasHandle_t handle, int** count);

cublasStatus_t set_vector(Served& served, Int n, Int elemSize, const void* x, Int incx, void* devicePtr, Int incy);
cublasStatus_t get_vector(Served& served, Int n, Int elemSize, const void* x, Int incx, void* y, Int incy);
cublasStatus_t set_vector_async(Served& served, Int n, Int elemSize, const void* hostPtr, Int incx, void* devicePtr,
                                Int incy, cudaStream_t stream);
cublasStatus_t get_vector_async(Served& served, Int n, Int elemSize, const void* devicePtr, Int incx, void* hostPtr,
                                Int incy, cudaStream_t stream);
cublasStatus_t set_matrix(Served& served, Int rows, Int cols, Int elemSize, const void* A, Int lda, void* B, Int ldb);
cublasStatus_t get_matrix(Served& served, Int rows, Int cols, Int elemSize, const void* A, Int lda, void* B, Int ldb);
cublasStatus_t set_matrix_async(Served& served, Int rows, Int cols, Int elemSize, const void* A, Int lda, void* B,
                                Int ldb, cudaStream_t stream);
cublasStatus_t get_matrix_async(Served& served, Int rows, Int cols, Int elemSize, const void* A, Int lda, void* B,
                                Int ldb, cudaStream_t stream);

/// What a handle has been set to.
template <class T>
cublasStatus_t get(Served& served, cublasHandle_t handle, T Handle::*member, T* result) {
    Request request(served, handle);
    request.need(result != nullptr, "there is no place for the result");
    if (request.ok()) *result = request.handle().*member;
    return request.status();
}

}  // namespace cudash::libraries::cublas::bodies
