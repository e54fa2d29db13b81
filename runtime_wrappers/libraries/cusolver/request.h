// A call of cuSOLVER on its way: its arguments are looked at, its operands gathered, and the handle's stream asked.
#pragma once

#include <cusolverDn.h>

#include "runtime_wrappers/libraries/cublas/request.h"
#include "runtime_wrappers/libraries/cusolver/lapack.h"
#include "runtime_wrappers/libraries/look.h"
#include "runtime_wrappers/libraries/work.h"

namespace cudash::libraries {

template <>
struct StatusOf<cusolverStatus_t> {
    static constexpr cusolverStatus_t success = CUSOLVER_STATUS_SUCCESS,
                                      not_initialized = CUSOLVER_STATUS_NOT_INITIALIZED,
                                      lost = CUSOLVER_STATUS_EXECUTION_FAILED,
                                      invalid_value = CUSOLVER_STATUS_INVALID_VALUE,
                                      not_supported = CUSOLVER_STATUS_NOT_SUPPORTED;
    static std::string_view name(cusolverStatus_t status);
};

}  // namespace cudash::libraries

namespace cudash::libraries::cusolver {

using cublas::computed;

struct Handle {
    cudaStream_t stream = nullptr;
};
Handle* find_handle(cusolverDnHandle_t handle);

class Request : public ArgumentLook<cusolverStatus_t> {
public:
    Request(Served& served, cusolverDnHandle_t handle)
        : handle_(find_handle(handle)), work_(served, handle_ ? handle_->stream : nullptr) {
        unless(handle_ != nullptr, CUSOLVER_STATUS_NOT_INITIALIZED,
               "the handle is not one of cusolverDnCreate, or was destroyed");
    }
    Handle& handle() { return *handle_; }
    Work& work() { return work_; }

    void need_size(std::string_view name, std::int64_t size) { need(size >= 0, "{} is {}", name, size); }
    void need_leading(std::string_view name, std::int64_t leading, std::int64_t rows) {
        need(leading >= std::max<std::int64_t>(1, rows), "{} is {}, less than {} rows", name, leading, rows);
    }
    void need_fill(cublasFillMode_t uplo) {
        need(uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER,
             "uplo is {}, neither CUBLAS_FILL_MODE_LOWER nor CUBLAS_FILL_MODE_UPPER", static_cast<int>(uplo));
    }
    void need_operation(cublasOperation_t operation) {
        need(operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C, "trans is {}, which is not a cublasOperation_t",
             static_cast<int>(operation));
    }
    template <class T>
    std::size_t matrix(std::string_view name, const T* pointer, std::int64_t rows, std::int64_t columns,
                       std::int64_t leading, Access access) {
        return work_.add(name, pointer, {.width = rows, .height = columns, .pitch = leading}, access);
    }
    template <class T>
    std::size_t array(std::string_view name, const T* pointer, std::int64_t count, Access access) {
        return work_.add(name, pointer, {.width = count}, access);
    }
    /// Numbers of `T`, for the modeled time.
    template <class T>
    void costs(double operations) {
        work_.costs(operations, cublas::of_doubles<T>);
    }
    template <class Compute>
    cusolverStatus_t ask(Compute compute) {
        if (!ok()) return status();
        return work_.ask(std::move(compute)) == Asked::done ? CUSOLVER_STATUS_SUCCESS
                                                            : CUSOLVER_STATUS_EXECUTION_FAILED;
    }

private:
    Handle* handle_;
    Work work_;
};

inline const char* letter_of(cublasFillMode_t uplo) {
    return uplo == CUBLAS_FILL_MODE_LOWER ? "L" : "U";
}
/// Real matrices have no conjugates.
template <class T>
const char* letter_of(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N ? "N" : operation == CUBLAS_OP_T || !is_complex<T> ? "T" : "C";
}

}  // namespace cudash::libraries::cusolver
