// What a handle is told of emulated precision. The virtual GPU computes without emulation, whose results are at least
// as exact: a handle keeps what it was told, and tells it.
#include "runtime_wrappers/libraries/cublas/handle.h"

namespace cudash::libraries::cublas::bodies {
namespace {

template <class T>
cublasStatus_t set(Served& served, cublasHandle_t handle, T Handle::*member, T value, bool known) {
    Request request(served, handle);
    request.need(known, "there is no such setting as {}", static_cast<int>(value));
    if (request.ok()) request.handle().*member = value;
    return request.status();
}

}  // namespace

cublasStatus_t set_emulation_strategy(Served& served, cublasHandle_t handle, cublasEmulationStrategy_t strategy) {
    return set(served, handle, &Handle::emulation_strategy, strategy,
               strategy >= CUBLAS_EMULATION_STRATEGY_DEFAULT && strategy <= CUBLAS_EMULATION_STRATEGY_EAGER);
}
cublasStatus_t get_emulation_strategy(Served& served, cublasHandle_t handle, cublasEmulationStrategy_t* strategy) {
    return get(served, handle, &Handle::emulation_strategy, strategy);
}
cublasStatus_t set_emulation_special_values_support(Served& served, cublasHandle_t handle,
                                                    cudaEmulationSpecialValuesSupport mask) {
    constexpr int all = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_INFINITY | CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN;
    return set(served, handle, &Handle::special_values, mask,
               mask == CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT || (static_cast<int>(mask) & ~all) == 0);
}
cublasStatus_t get_emulation_special_values_support(Served& served, cublasHandle_t handle,
                                                    cudaEmulationSpecialValuesSupport* mask) {
    return get(served, handle, &Handle::special_values, mask);
}
cublasStatus_t set_mantissa_control(Served& served, cublasHandle_t handle, cudaEmulationMantissaControl control) {
    return set(served, handle, &Handle::mantissa_control, control,
               control == CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC || control == CUDA_EMULATION_MANTISSA_CONTROL_FIXED);
}
cublasStatus_t get_mantissa_control(Served& served, cublasHandle_t handle, cudaEmulationMantissaControl* control) {
    return get(served, handle, &Handle::mantissa_control, control);
}
cublasStatus_t set_max_mantissa_bit_count(Served& served, cublasHandle_t handle, int count) {
    return set(served, handle, &Handle::max_mantissa_bits, count, count >= 0);
}
cublasStatus_t get_max_mantissa_bit_count(Served& served, cublasHandle_t handle, int* count) {
    return get(served, handle, &Handle::max_mantissa_bits, count);
}
cublasStatus_t set_mantissa_bit_offset(Served& served, cublasHandle_t handle, int offset) {
    return set(served, handle, &Handle::mantissa_bit_offset, offset, true);
}
cublasStatus_t get_mantissa_bit_offset(Served& served, cublasHandle_t handle, int* offset) {
    return get(served, handle, &Handle::mantissa_bit_offset, offset);
}
cublasStatus_t set_mantissa_bit_count_pointer(Served& served, cublasHandle_t handle, int* count) {
    Request request(served, handle);
    if (request.ok()) request.handle().mantissa_bits = count;
    return request.status();
}
cublasStatus_t get_mantissa_bit_count_pointer(Served& served, cublasHandle_t handle, int** count) {
    return get(served, handle, &Handle::mantissa_bits, count);
}

}  // namespace cudash::libraries::cublas::bodies
