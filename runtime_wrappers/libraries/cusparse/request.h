// A call of cuSPARSE on its way: its arguments are looked at, its operands gathered, and the handle's stream asked.
#pragma once

#include "runtime_wrappers/libraries/cusparse/objects.h"
#include "runtime_wrappers/libraries/look.h"
#include "runtime_wrappers/libraries/numbers.h"
#include "runtime_wrappers/libraries/work.h"

namespace cudash::libraries {

template <>
struct StatusOf<cusparseStatus_t> {
    static constexpr cusparseStatus_t success = CUSPARSE_STATUS_SUCCESS,
                                      not_initialized = CUSPARSE_STATUS_NOT_INITIALIZED,
                                      lost = CUSPARSE_STATUS_EXECUTION_FAILED,
                                      invalid_value = CUSPARSE_STATUS_INVALID_VALUE,
                                      not_supported = CUSPARSE_STATUS_NOT_SUPPORTED;
    static std::string_view name(cusparseStatus_t status);
};

}  // namespace cudash::libraries

namespace cudash::libraries::cusparse {

class Look : public ArgumentLook<cusparseStatus_t> {
public:
    /// nullptr: it is none of those that the library has made.
    template <class T>
    auto* object(std::string_view argument, T handle) {
        auto* const found = find(handle);
        need(found != nullptr, "{} is not a valid {}, or was destroyed", argument,
             ObjectOf<typename PlainOf<T>::Type>::name);
        return found;
    }
    void need_size(std::string_view name, std::int64_t size) {
        need(size >= 0 && size <= most_elements, "{} is {}; it must be from 0 to {}", name, size, most_elements);
    }
    void need_operation(std::string_view name, cusparseOperation_t operation) {
        need(operation >= CUSPARSE_OPERATION_NON_TRANSPOSE && operation <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
             "{} is {}, which is not a cusparseOperation_t", name, static_cast<int>(operation));
    }
    void need_types(std::string_view name, cudaDataType type, cudaDataType compute);
};

/// alpha and its kin: in host memory, or in the device's until the work runs.
template <class Wide>
struct Scalar {
    Wide value{};
    bool on_device = false;
    std::size_t index = 0;
    cudaDataType type = CUDA_R_32F;
    Wide operator()(const Operands& operands) const {
        return on_device ? read_number<Wide>(type, operands.at<std::byte>(index)) : value;
    }
};

class Request : public Look {
public:
    Request(Served& served, cusparseHandle_t handle)
        : handle_(find(handle)), work_(served, handle_ ? handle_->stream : nullptr) {
        // Not CUSPARSE_STATUS_NOT_INITIALIZED, as the manual has it: recorded on an H100.
        unless(handle_ != nullptr, CUSPARSE_STATUS_INVALID_VALUE,
               "the handle is not one of cusparseCreate, or was destroyed");
    }
    Handle& handle() { return *handle_; }
    Work& work() { return work_; }

    std::size_t array(std::string_view name, const void* pointer, std::int64_t count, std::int64_t size,
                      Access access) {
        return work_.add(name, static_cast<const std::byte*>(pointer), {.width = count * size}, access);
    }
    template <class Wide>
    Scalar<Wide> scalar(std::string_view name, const void* pointer, cudaDataType type) {
        need(pointer != nullptr, "{} is a null pointer", name);
        if (!ok()) return {};
        if (handle_->pointer_mode == CUSPARSE_POINTER_MODE_HOST) return {.value = read_number<Wide>(type, pointer)};
        return {.on_device = true, .index = array(name, pointer, 1, size_of_type(type), Access::read), .type = type};
    }
    template <class Compute>
    cusparseStatus_t ask(Compute compute) {
        if (!ok()) return status();
        return work_.ask(std::move(compute)) == Asked::done ? CUSPARSE_STATUS_SUCCESS
                                                            : CUSPARSE_STATUS_EXECUTION_FAILED;
    }

private:
    Handle* handle_;
    Work work_;
};

/// What has to be given beside memory that a call uses itself: none is needed here, but programs take 0 for no answer.
inline constexpr std::size_t some_buffer = 256;

/// Calls `use` with a number of the type that is computed with.
template <class Use>
auto with_compute_type(cudaDataType type, Use use) {
    switch (type) {
        case CUDA_R_64F:
        case CUDA_R_32I:
            return use(double{});
        case CUDA_C_32F:
            return use(std::complex<float>{});
        case CUDA_C_64F:
            return use(std::complex<double>{});
        default:
            return use(float{});
    }
}

template <class Wide>
Wide conjugated(Wide value, bool conjugates) {
    if constexpr (is_complex_number<Wide>)
        return conjugates ? std::conj(value) : value;
    else
        return value;
}

}  // namespace cudash::libraries::cusparse
