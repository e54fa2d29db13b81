// Handles, what is set for them, and copies between host and device.
#include "runtime_wrappers/libraries/cublas/handle.h"

#include <algorithm>
#include <array>

#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::libraries {
namespace {

struct StatusText {
    cublasStatus_t status;
    const char* name;
    const char* text;
};
constexpr std::array status_texts = {
    StatusText{CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    StatusText{CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    StatusText{CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    StatusText{CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
               "an unsupported value or parameter was passed to the function"},
    StatusText{CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
               "the function requires an architectural feature absent from the device"},
    StatusText{CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    StatusText{CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
               "the function failed to launch on the GPU"},
    StatusText{CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    StatusText{CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
               "the requested functionality is not supported"},
    StatusText{CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "the license check failed"},
};
const StatusText* text_of(cublasStatus_t status) {
    const auto found = std::ranges::find(status_texts, status, &StatusText::status);
    return found == status_texts.end() ? nullptr : &*found;
}

}  // namespace

std::string_view StatusOf<cublasStatus_t>::name(cublasStatus_t status) {
    return cublas::bodies::get_status_name(status);
}

namespace cublas {
namespace {

virtual_gpu::HandleTable<cublasHandle_t, Handle>& handles() {
    static virtual_gpu::HandleTable<cublasHandle_t, Handle> live(0x5000'a000'1000);
    return live;
}

}  // namespace

cublasHandle_t make_handle() {
    return handles().add({});
}
Handle* find_handle(cublasHandle_t handle) {
    return handles().find(handle);
}
bool forget_handle(cublasHandle_t handle) {
    return handles().remove(handle);
}

namespace bodies {
namespace {

template <class T>
cublasStatus_t set(Request& request, T Handle::*member, T value) {
    if (request.ok()) request.handle().*member = value;
    return request.status();
}

/// `rows` elements at strides, or rows of a matrix.
struct Layout {
    const void* pointer;
    Int pitch;
};
cublasStatus_t transfer(Served& served, const Layout& to, const Layout& from, Int width, Int height,
                        cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
    using namespace virtual_gpu::runtime;
    if (width == 0 || height == 0) return CUBLAS_STATUS_SUCCESS;
    const auto rows = [](const Layout& layout) {
        return Rows{.pointer = layout.pointer, .pitch = static_cast<std::uint64_t>(layout.pitch)};
    };
    virtual_gpu::Stream* const on = served.gpu.stream(stream);
    const Box box{.width = static_cast<std::uint64_t>(width), .height = static_cast<std::uint64_t>(height)};
    if (!on || copy(served.gpu, rows(to), rows(from), box, kind, *on, waits ? Wait::host : Wait::none) != cudaSuccess)
        return CUBLAS_STATUS_MAPPING_ERROR;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t move_vector(Served& served, Int n, Int size, const void* from, Int from_stride, void* to, Int to_stride,
                           cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
    if (size <= 0 || from_stride <= 0 || to_stride <= 0)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "sizes and strides must be positive");
    // What only the copy can't do has the copy's status (measured on an H100).
    if (n < 0) return refuse(CUBLAS_STATUS_MAPPING_ERROR, "the number of elements is negative");
    if (from_stride == 1 && to_stride == 1)
        return transfer(served, {to, n * size}, {from, n * size}, n * size, n == 0 ? 0 : 1, kind, stream, waits);
    return transfer(served, {to, to_stride * size}, {from, from_stride * size}, size, n, kind, stream, waits);
}
cublasStatus_t move_matrix(Served& served, Int rows, Int columns, Int size, const void* from, Int from_leading,
                           void* to, Int to_leading, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
    if (size <= 0 || from_leading <= 0 || to_leading <= 0)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "sizes and leading dimensions must be positive");
    if (rows < 0 || columns < 0 || from_leading < rows || to_leading < rows)
        return refuse(CUBLAS_STATUS_MAPPING_ERROR, "a size is negative, or a leading dimension is less than rows");
    return transfer(served, {to, to_leading * size}, {from, from_leading * size}, rows * size, columns, kind, stream,
                    waits);
}

}  // namespace

const char* get_status_name(cublasStatus_t status) {
    const StatusText* found = text_of(status);
    return found ? found->name : "unrecognized status";
}
const char* get_status_string(cublasStatus_t status) {
    const StatusText* found = text_of(status);
    return found ? found->text : "unrecognized status";
}
std::size_t get_cudart_version() {
    return CUDART_VERSION;
}

cublasStatus_t create(Served&, cublasHandle_t* handle) {
    if (!handle) return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no place for the handle");
    if (!blas_missing().empty()) {
        virtual_gpu::runtime::refuse_with_hint(cudaErrorNotSupported,
                                               "cuBLAS on the virtual GPU computes with OpenBLAS: " + blas_missing(),
                                               "apt-get install libopenblas0, or --device gpu");
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *handle = make_handle();
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t destroy(Served&, cublasHandle_t handle) {
    return forget_handle(handle) ? CUBLAS_STATUS_SUCCESS
                                 : refuse(CUBLAS_STATUS_NOT_INITIALIZED, "the handle is not one of cublasCreate");
}
cublasStatus_t get_version(Served&, cublasHandle_t, int* version) {
    if (!version) return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no place for the result");
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get_property(Served&, libraryPropertyType type, int* value) {
    if (!value) return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no place for the result");
    constexpr std::array parts = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
    if (type < MAJOR_VERSION || type > PATCH_LEVEL)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no such property");
    *value = parts[static_cast<std::size_t>(type)];
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t set_workspace(Served& served, cublasHandle_t handle, void*, std::size_t) {
    return Request(served, handle).status();  // none is needed here
}

cublasStatus_t set_stream(Served& served, cublasHandle_t handle, cudaStream_t stream) {
    Request request(served, handle);
    return set(request, &Handle::stream, stream);
}
cublasStatus_t get_stream(Served& served, cublasHandle_t handle, cudaStream_t* stream) {
    return get(served, handle, &Handle::stream, stream);
}
cublasStatus_t set_pointer_mode(Served& served, cublasHandle_t handle, cublasPointerMode_t mode) {
    Request request(served, handle);
    request.need(mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE, "there is no pointer mode {}",
                 static_cast<int>(mode));
    return set(request, &Handle::pointer_mode, mode);
}
cublasStatus_t get_pointer_mode(Served& served, cublasHandle_t handle, cublasPointerMode_t* mode) {
    return get(served, handle, &Handle::pointer_mode, mode);
}
cublasStatus_t set_atomics_mode(Served& served, cublasHandle_t handle, cublasAtomicsMode_t mode) {
    Request request(served, handle);
    request.need(mode == CUBLAS_ATOMICS_NOT_ALLOWED || mode == CUBLAS_ATOMICS_ALLOWED, "there is no atomics mode {}",
                 static_cast<int>(mode));
    return set(request, &Handle::atomics, mode);
}
cublasStatus_t get_atomics_mode(Served& served, cublasHandle_t handle, cublasAtomicsMode_t* mode) {
    return get(served, handle, &Handle::atomics, mode);
}
cublasStatus_t set_math_mode(Served& served, cublasHandle_t handle, cublasMath_t mode) {
    Request request(served, handle);
    const int kind = static_cast<int>(mode) & ~static_cast<int>(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    const int emulated = CUBLAS_FP32_EMULATED_BF16X9_MATH | CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH;
    request.need((kind & ~emulated) >= CUBLAS_DEFAULT_MATH && (kind & ~emulated) <= CUBLAS_TF32_TENSOR_OP_MATH,
                 "there is no math mode {}", static_cast<int>(mode));
    return set(request, &Handle::math, mode);
}
cublasStatus_t get_math_mode(Served& served, cublasHandle_t handle, cublasMath_t* mode) {
    return get(served, handle, &Handle::math, mode);
}
cublasStatus_t set_sm_count_target(Served& served, cublasHandle_t handle, int smCountTarget) {
    Request request(served, handle);
    request.need(smCountTarget >= 0, "the number of multiprocessors is {}", smCountTarget);
    return set(request, &Handle::multiprocessors, smCountTarget);
}
cublasStatus_t get_sm_count_target(Served& served, cublasHandle_t handle, int* smCountTarget) {
    return get(served, handle, &Handle::multiprocessors, smCountTarget);
}

cublasStatus_t set_vector(Served& served, Int n, Int elemSize, const void* x, Int incx, void* devicePtr, Int incy) {
    return move_vector(served, n, elemSize, x, incx, devicePtr, incy, cudaMemcpyHostToDevice, nullptr, true);
}
cublasStatus_t get_vector(Served& served, Int n, Int elemSize, const void* x, Int incx, void* y, Int incy) {
    return move_vector(served, n, elemSize, x, incx, y, incy, cudaMemcpyDeviceToHost, nullptr, true);
}
cublasStatus_t set_vector_async(Served& served, Int n, Int elemSize, const void* hostPtr, Int incx, void* devicePtr,
                                Int incy, cudaStream_t stream) {
    return move_vector(served, n, elemSize, hostPtr, incx, devicePtr, incy, cudaMemcpyHostToDevice, stream, false);
}
cublasStatus_t get_vector_async(Served& served, Int n, Int elemSize, const void* devicePtr, Int incx, void* hostPtr,
                                Int incy, cudaStream_t stream) {
    return move_vector(served, n, elemSize, devicePtr, incx, hostPtr, incy, cudaMemcpyDeviceToHost, stream, false);
}
cublasStatus_t set_matrix(Served& served, Int rows, Int cols, Int elemSize, const void* A, Int lda, void* B, Int ldb) {
    return move_matrix(served, rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyHostToDevice, nullptr, true);
}
cublasStatus_t get_matrix(Served& served, Int rows, Int cols, Int elemSize, const void* A, Int lda, void* B, Int ldb) {
    return move_matrix(served, rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyDeviceToHost, nullptr, true);
}
cublasStatus_t set_matrix_async(Served& served, Int rows, Int cols, Int elemSize, const void* A, Int lda, void* B,
                                Int ldb, cudaStream_t stream) {
    return move_matrix(served, rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyHostToDevice, stream, false);
}
cublasStatus_t get_matrix_async(Served& served, Int rows, Int cols, Int elemSize, const void* A, Int lda, void* B,
                                Int ldb, cudaStream_t stream) {
    return move_matrix(served, rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyDeviceToHost, stream, false);
}

}  // namespace bodies
}  // namespace cublas
}  // namespace cudash::libraries
