// A call of cuBLAS on its way: its arguments are looked at, its operands gathered, and the handle's stream asked.
#pragma once

#include <cublas_api.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "runtime_wrappers/libraries/cublas/blas.h"
#include "runtime_wrappers/libraries/work.h"

namespace cudash::libraries {

template <>
struct StatusOf<cublasStatus_t> {
    static constexpr cublasStatus_t success = CUBLAS_STATUS_SUCCESS, not_initialized = CUBLAS_STATUS_NOT_INITIALIZED,
                                    lost = CUBLAS_STATUS_EXECUTION_FAILED, invalid_value = CUBLAS_STATUS_INVALID_VALUE,
                                    not_supported = CUBLAS_STATUS_NOT_SUPPORTED;
    static std::string_view name(cublasStatus_t status);
};

}  // namespace cudash::libraries

namespace cudash::libraries::cublas {

/// An argument as the bodies take it: complex numbers are those of C++.
template <class Value>
Value computed(Value value) {
    return value;
}
#define CUDASH_COMPLEX(given, part)                                          \
    inline Complex<part>* computed(given* value) {                           \
        return reinterpret_cast<Complex<part>*>(value);                      \
    }                                                                        \
    inline const Complex<part>* computed(const given* value) {               \
        return reinterpret_cast<const Complex<part>*>(value);                \
    }                                                                        \
    inline Complex<part>* const* computed(given* const* value) {             \
        return reinterpret_cast<Complex<part>* const*>(value);               \
    }                                                                        \
    inline const Complex<part>* const* computed(const given* const* value) { \
        return reinterpret_cast<const Complex<part>* const*>(value);         \
    }
CUDASH_COMPLEX(cuComplex, float)
CUDASH_COMPLEX(cuDoubleComplex, double)
#undef CUDASH_COMPLEX

/// An enumerator that is none, for messages: cublas.h's functions are given letters.
template <class Enumeration>
std::string enumerator_text(Enumeration value) {
    const auto number = static_cast<int>(value);
    return number > ' ' && number <= '~' ? fmt::format("'{}'", static_cast<char>(number)) : std::to_string(number);
}

/// Whether its numbers are doubles, for the modeled time.
template <class T>
constexpr bool of_doubles = std::is_same_v<RealOf<T>, double>;

struct Handle {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    int multiprocessors = 0;
    // How other precisions are to be emulated: kept and told, while everything is computed without emulation.
    cublasEmulationStrategy_t emulation_strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
    cudaEmulationSpecialValuesSupport special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
    cudaEmulationMantissaControl mantissa_control = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
    int max_mantissa_bits = 0, mantissa_bit_offset = 0;
    int* mantissa_bits = nullptr;
};
cublasHandle_t make_handle();
/// nullptr: it is none, or no longer.
Handle* find_handle(cublasHandle_t handle);
bool forget_handle(cublasHandle_t handle);

/// alpha and its kin: in host memory, or in the device's until the work runs.
template <class T>
struct Scalar {
    T value{};
    bool on_device = false;
    std::size_t index = 0;
    T operator()(const Operands& operands) const { return on_device ? *operands.at<T>(index) : value; }
};
/// A result, likewise.
template <class T>
struct Result {
    T* host = nullptr;
    std::size_t index = 0;
    T* operator()(const Operands& operands) const { return host ? host : operands.at<T>(index); }
};

class Request {
public:
    Request(Served& served, cublasHandle_t handle)
        : served_(served), handle_(find_handle(handle)), work_(served, handle_ ? handle_->stream : nullptr) {
        if (!handle_)
            status_ = refuse(CUBLAS_STATUS_NOT_INITIALIZED, "the handle is not one of cublasCreate, or was destroyed");
    }
    bool ok() const { return status_ == CUBLAS_STATUS_SUCCESS; }
    cublasStatus_t status() const { return status_; }
    Handle& handle() { return *handle_; }
    Work& work() { return work_; }
    virtual_gpu::runtime::Gpu& gpu() { return served_.gpu; }

    /// The first thing that is wrong counts.
    template <class... Values>
    void need(bool fine, fmt::format_string<Values...> otherwise, Values&&... values) {
        if (ok() && !fine) status_ = refuse(CUBLAS_STATUS_INVALID_VALUE, otherwise, std::forward<Values>(values)...);
    }
    template <class... Values>
    void lacks(bool missing, fmt::format_string<Values...> what, Values&&... values) {
        if (ok() && missing) status_ = refuse(CUBLAS_STATUS_NOT_SUPPORTED, what, std::forward<Values>(values)...);
    }
    void need_size(std::string_view name, std::int64_t size) { need(size >= 0, "{} is {}", name, size); }
    void need_stride(std::string_view name, std::int64_t stride) { need(stride != 0, "{} is 0", name); }
    void need_leading(std::string_view name, std::int64_t leading, std::int64_t rows, std::string_view matrix) {
        need(leading >= std::max<std::int64_t>(1, rows), "{} is {}, less than the {} rows of {}", name, leading, rows,
             matrix);
    }
    void need_operation(std::string_view name, cublasOperation_t operation) {
        need(operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C, "{} is {}, which is not a cublasOperation_t", name,
             enumerator_text(operation));
    }
    void need_fill(cublasFillMode_t uplo) {
        need(uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER,
             "uplo is {}, neither CUBLAS_FILL_MODE_LOWER nor CUBLAS_FILL_MODE_UPPER", enumerator_text(uplo));
    }
    void need_side(cublasSideMode_t mode) {
        need(mode == CUBLAS_SIDE_LEFT || mode == CUBLAS_SIDE_RIGHT, "{} is not a cublasSideMode_t",
             enumerator_text(mode));
    }
    void need_diagonal(cublasDiagType_t diag) {
        need(diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT, "diag is {}, which is not a cublasDiagType_t",
             enumerator_text(diag));
    }

    template <class T>
    Scalar<T> scalar(std::string_view name, const T* pointer) {
        need(pointer != nullptr, "{} is a null pointer", name);
        if (!ok()) return {};
        if (handle_->pointer_mode == CUBLAS_POINTER_MODE_HOST) return {.value = *pointer};
        return {.on_device = true, .index = work_.add(name, pointer, {.width = 1}, Access::read)};
    }
    template <class T>
    Result<T> result(std::string_view name, T* pointer, Access access = Access::written, std::int64_t count = 1) {
        need(pointer != nullptr, "{} is a null pointer", name);
        if (!ok()) return {};
        if (handle_->pointer_mode != CUBLAS_POINTER_MODE_HOST)
            return {.index = work_.add(name, pointer, {.width = count}, access)};
        work_.wait();
        return {.host = pointer};
    }
    template <class T>
    std::size_t vector(std::string_view name, const T* pointer, std::int64_t n, std::int64_t stride, Access access) {
        const std::int64_t step = std::abs(stride);
        const Shape shape = step == 1 ? Shape{.width = n} : Shape{.width = n > 0 ? 1 : 0, .height = n, .pitch = step};
        return work_.add(name, pointer, shape, access);
    }
    template <class T>
    std::size_t matrix(std::string_view name, const T* pointer, std::int64_t rows, std::int64_t columns,
                       std::int64_t leading, Access access) {
        return work_.add(name, pointer, {.width = rows, .height = columns, .pitch = leading}, access);
    }

    template <class Compute>
    cublasStatus_t ask(Compute compute) {
        if (!ok()) return status_;
        switch (work_.ask(std::move(compute))) {
            case Asked::done:
                return CUBLAS_STATUS_SUCCESS;
            case Asked::no_memory:
            case Asked::failed:
                break;
        }
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }

private:
    Served& served_;
    Handle* handle_;
    Work work_;
    cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

inline CBLAS_TRANSPOSE of(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N ? CblasNoTrans : operation == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}
inline CBLAS_UPLO of(cublasFillMode_t uplo) {
    return uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}
inline CBLAS_DIAG of(cublasDiagType_t diag) {
    return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}
inline CBLAS_SIDE of(cublasSideMode_t side) {
    return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}
/// Sizes fit what memory there is, and so an int.
inline int size_of(std::int64_t size) {
    return static_cast<int>(std::min<std::int64_t>(size, std::numeric_limits<int>::max()));
}

}  // namespace cudash::libraries::cublas
