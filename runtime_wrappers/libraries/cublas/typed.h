// Level 1 with types that are named when it is called (cublasDotEx), batched gemv, groups of gemm, and packed
// triangles.
#pragma once

#include <initializer_list>

#include "runtime_wrappers/libraries/cublas/level1.h"
#include "runtime_wrappers/libraries/cublas/level3.h"
#include "runtime_wrappers/libraries/cublas/products.h"

namespace cudash::libraries::cublas::bodies {

/// Calls `call` with a 0 of the type that all of `types` are.
template <class Call>
cublasStatus_t with_type(std::initializer_list<cudaDataType> types, Call call) {
    const cudaDataType type = *types.begin();
    if (std::ranges::all_of(types, [=](cudaDataType each) { return each == type; })) {
        if (type == CUDA_R_32F) return call(float{});
        if (type == CUDA_R_64F) return call(double{});
        if (type == CUDA_C_32F) return call(Complex<float>{});
        if (type == CUDA_C_64F) return call(Complex<double>{});
    }
    return refuse(
        CUBLAS_STATUS_NOT_SUPPORTED,
        "the virtual GPU has vectors of float and double, real and complex, all types of a call the same; xType is {}",
        static_cast<int>(type));
}

/// CUDA_R_32F of CUDA_C_32F.
constexpr cudaDataType real_of(cudaDataType type) {
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

template <class Index>
cublasStatus_t amax_ex(Served& served, cublasHandle_t handle, Int n, const void* x, cudaDataType xType, Int incx,
                       Index* result) {
    return with_type({xType},
                     [&]<class T>(T) { return amax(served, handle, n, static_cast<const T*>(x), incx, result); });
}
template <class Index>
cublasStatus_t amin_ex(Served& served, cublasHandle_t handle, Int n, const void* x, cudaDataType xType, Int incx,
                       Index* result) {
    return with_type({xType},
                     [&]<class T>(T) { return amin(served, handle, n, static_cast<const T*>(x), incx, result); });
}
inline cublasStatus_t asum_ex(Served& served, cublasHandle_t handle, Int n, const void* x, cudaDataType xType, Int incx,
                              void* result, cudaDataType resultType, cudaDataType executiontype) {
    return with_type({xType, resultType == real_of(xType) && real_of(executiontype) == resultType ? xType : resultType},
                     [&]<class T>(T) {
                         return asum(served, handle, n, static_cast<const T*>(x), incx,
                                     static_cast<RealOf<T>*>(result));
                     });
}
inline cublasStatus_t nrm2_ex(Served& served, cublasHandle_t handle, Int n, const void* x, cudaDataType xType, Int incx,
                              void* result, cudaDataType resultType, cudaDataType executionType) {
    return with_type({xType, resultType == real_of(xType) && real_of(executionType) == resultType ? xType : resultType},
                     [&]<class T>(T) {
                         return nrm2(served, handle, n, static_cast<const T*>(x), incx,
                                     static_cast<RealOf<T>*>(result));
                     });
}
inline cublasStatus_t dot_ex(Served& served, cublasHandle_t handle, Int n, const void* x, cudaDataType xType, Int incx,
                             const void* y, cudaDataType yType, Int incy, void* result, cudaDataType resultType,
                             cudaDataType executionType) {
    return with_type({xType, yType, resultType, executionType}, [&]<class T>(T) {
        const T *a = static_cast<const T*>(x), *b = static_cast<const T*>(y);
        if constexpr (is_complex<T>)
            return dotu(served, handle, n, a, incx, b, incy, static_cast<T*>(result));
        else
            return dot(served, handle, n, a, incx, b, incy, static_cast<T*>(result));
    });
}
inline cublasStatus_t dotc_ex(Served& served, cublasHandle_t handle, Int n, const void* x, cudaDataType xType, Int incx,
                              const void* y, cudaDataType yType, Int incy, void* result, cudaDataType resultType,
                              cudaDataType executionType) {
    return with_type({xType, yType, resultType, executionType}, [&]<class T>(T) {
        const T *a = static_cast<const T*>(x), *b = static_cast<const T*>(y);
        if constexpr (is_complex<T>)
            return dotc(served, handle, n, a, incx, b, incy, static_cast<T*>(result));
        else
            return dot(served, handle, n, a, incx, b, incy, static_cast<T*>(result));
    });
}
inline cublasStatus_t axpy_ex(Served& served, cublasHandle_t handle, Int n, const void* alpha, cudaDataType alphaType,
                              const void* x, cudaDataType xType, Int incx, void* y, cudaDataType yType, Int incy,
                              cudaDataType executiontype) {
    return with_type({xType, alphaType, yType, executiontype}, [&]<class T>(T) {
        return axpy(served, handle, n, static_cast<const T*>(alpha), static_cast<const T*>(x), incx, static_cast<T*>(y),
                    incy);
    });
}
inline cublasStatus_t scal_ex(Served& served, cublasHandle_t handle, Int n, const void* alpha, cudaDataType alphaType,
                              void* x, cudaDataType xType, Int incx, cudaDataType executionType) {
    return with_type({xType, alphaType, executionType}, [&]<class T>(T) {
        return scal(served, handle, n, static_cast<const T*>(alpha), static_cast<T*>(x), incx);
    });
}
inline cublasStatus_t copy_ex(Served& served, cublasHandle_t handle, Int n, const void* x, cudaDataType xType, Int incx,
                              void* y, cudaDataType yType, Int incy) {
    return with_type({xType, yType}, [&]<class T>(T) {
        return copy(served, handle, n, static_cast<const T*>(x), incx, static_cast<T*>(y), incy);
    });
}
inline cublasStatus_t swap_ex(Served& served, cublasHandle_t handle, Int n, void* x, cudaDataType xType, Int incx,
                              void* y, cudaDataType yType, Int incy) {
    return with_type({xType, yType}, [&]<class T>(T) {
        return swap(served, handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy);
    });
}
inline cublasStatus_t rot_ex(Served& served, cublasHandle_t handle, Int n, void* x, cudaDataType xType, Int incx,
                             void* y, cudaDataType yType, Int incy, const void* c, const void* s, cudaDataType csType,
                             cudaDataType executiontype) {
    const bool real = csType == real_of(xType);
    return with_type({xType, yType, real ? xType : csType, executiontype}, [&]<class T>(T) {
        const auto ask = [&]<class Sine>(const Sine* sine) {
            return rot(served, handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy,
                       static_cast<const RealOf<T>*>(c), sine);
        };
        return real ? ask(static_cast<const RealOf<T>*>(s)) : ask(static_cast<const T*>(s));
    });
}

/// syrk and herk of complex numbers with types that are named at the call.
inline cublasStatus_t csyrk_ex(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                               Int n, Int k, const Complex<float>* alpha, const void* A, cudaDataType Atype, Int lda,
                               const Complex<float>* beta, void* C, cudaDataType Ctype, Int ldc) {
    if (Atype != CUDA_C_32F || Ctype != CUDA_C_32F)
        return refuse(CUBLAS_STATUS_NOT_SUPPORTED,
                      "the virtual GPU has matrices of CUDA_C_32F here; Atype is {}, Ctype {}", static_cast<int>(Atype),
                      static_cast<int>(Ctype));
    return syrk(served, handle, uplo, trans, n, k, alpha, static_cast<const Complex<float>*>(A), lda, beta,
                static_cast<Complex<float>*>(C), ldc);
}
inline cublasStatus_t cherk_ex(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                               Int n, Int k, const float* alpha, const void* A, cudaDataType Atype, Int lda,
                               const float* beta, void* C, cudaDataType Ctype, Int ldc) {
    if (Atype != CUDA_C_32F || Ctype != CUDA_C_32F)
        return refuse(CUBLAS_STATUS_NOT_SUPPORTED,
                      "the virtual GPU has matrices of CUDA_C_32F here; Atype is {}, Ctype {}", static_cast<int>(Atype),
                      static_cast<int>(Ctype));
    return herk(served, handle, uplo, trans, n, k, alpha, static_cast<const Complex<float>*>(A), lda, beta,
                static_cast<Complex<float>*>(C), ldc);
}

/// y = alpha * op(A) * x + beta * y
struct MatrixTimesVector {
    cublasOperation_t trans;
    Int m, n, lda, incx, incy;

    Int columns() const { return trans == CUBLAS_OP_N ? n : m; }
    Int rows() const { return trans == CUBLAS_OP_N ? m : n; }
    void look_at(Request& request) const {
        request.need_operation("trans", trans);
        request.need_size("m", m);
        request.need_size("n", n);
        request.need_leading("lda", lda, m, "A");
        request.need_stride("incx", incx);
        request.need_stride("incy", incy);
    }
    static Shape vector(Int n, Int stride) { return {.width = 1, .height = n, .pitch = std::abs(stride)}; }
    template <class T>
    void compute(T alpha, const T* A, const T* x, T beta, T* y) const {
        blas<T>().gemv(CblasColMajor, of(trans), size_of(m), size_of(n), alpha, A, size_of(lda), x, size_of(incx), beta,
                       y, size_of(incy));
    }
};
template <class T>
cublasStatus_t gemv_batched(Served& served, cublasHandle_t handle, cublasOperation_t trans, Int m, Int n,
                            const T* alpha, const T* const* Aarray, Int lda, const T* const* xarray, Int incx,
                            const T* beta, T* const* yarray, Int incy, Int batchCount) {
    Request request(served, handle);
    const MatrixTimesVector one{trans, m, n, lda, incx, incy};
    one.look_at(request);
    request.need_size("batchCount", batchCount);
    const auto by = request.scalar("alpha", alpha), keep = request.scalar("beta", beta);
    if (!request.ok() || m == 0 || n == 0 || batchCount == 0) return request.status();
    const std::size_t as = request.vector("Aarray", Aarray, batchCount, 1, Access::read);
    const std::size_t xs = request.vector("xarray", xarray, batchCount, 1, Access::read);
    const std::size_t ys = request.vector("yarray", yarray, batchCount, 1, Access::read);
    return request.ask([=](Operands& o) {
        for (Int i = 0; i < batchCount; ++i) {
            const T* a = o.find("A", o.at<const T*>(as)[i], {.width = m, .height = n, .pitch = lda}, Access::read);
            const T* x = o.find("x", o.at<const T*>(xs)[i], one.vector(one.columns(), incx), Access::read);
            T* y = o.find("y", o.at<T*>(ys)[i], one.vector(one.rows(), incy), Access::both);
            if (!a || !x || !y) return false;
            one.compute(by(o), a, x, keep(o), y);
        }
        return true;
    });
}
template <class T>
cublasStatus_t gemv_strided_batched(Served& served, cublasHandle_t handle, cublasOperation_t trans, Int m, Int n,
                                    const T* alpha, const T* A, Int lda, long long strideA, const T* x, Int incx,
                                    long long stridex, const T* beta, T* y, Int incy, long long stridey,
                                    Int batchCount) {
    Request request(served, handle);
    const MatrixTimesVector one{trans, m, n, lda, incx, incy};
    one.look_at(request);
    request.need_size("batchCount", batchCount);
    const auto by = request.scalar("alpha", alpha), keep = request.scalar("beta", beta);
    if (!request.ok() || m == 0 || n == 0 || batchCount == 0) return request.status();
    const auto add = [&](std::string_view name, const T* pointer, Shape shape, Int stride, Access access) {
        shape.depth = batchCount;
        shape.slice = stride;
        return request.work().add(name, pointer, shape, access);
    };
    const std::size_t a = add("A", A, {.width = m, .height = n, .pitch = lda}, strideA, Access::read);
    const std::size_t from = add("x", x, one.vector(one.columns(), incx), stridex, Access::read);
    const std::size_t to = add("y", y, one.vector(one.rows(), incy), stridey, Access::both);
    return request.ask([=](Operands& o) {
        for (Int i = 0; i < batchCount; ++i)
            one.compute(by(o), o.at<T>(a) + i * strideA, o.at<T>(from) + i * stridex, keep(o),
                        o.at<T>(to) + i * stridey);
    });
}

/// Groups of products, each with sizes and factors of its own; what describes them lies in host memory.
template <class T, class Index>
cublasStatus_t gemm_grouped_batched(Served& served, cublasHandle_t handle, const cublasOperation_t* transa_array,
                                    const cublasOperation_t* transb_array, const Index* m_array, const Index* n_array,
                                    const Index* k_array, const T* alpha_array, const T* const* Aarray,
                                    const Index* lda_array, const T* const* Barray, const Index* ldb_array,
                                    const T* beta_array, T* const* Carray, const Index* ldc_array, Int group_count,
                                    const Index* group_size) {
    for (Int group = 0, first = 0; group < group_count; first += group_size[group++])
        if (const cublasStatus_t status = gemm_batched<T>(
                served, handle, transa_array[group], transb_array[group], m_array[group], n_array[group],
                k_array[group], alpha_array + group, Aarray + first, lda_array[group], Barray + first, ldb_array[group],
                beta_array + group, Carray + first, ldc_array[group], group_size[group]);
            status != CUBLAS_STATUS_SUCCESS)
            return status;
    return CUBLAS_STATUS_SUCCESS;
}
template <class Index>
cublasStatus_t gemm_grouped_batched_ex(Served& served, cublasHandle_t handle, const cublasOperation_t* transa_array,
                                       const cublasOperation_t* transb_array, const Index* m_array,
                                       const Index* n_array, const Index* k_array, const void* alpha_array,
                                       const void* const* Aarray, cudaDataType_t Atype, const Index* lda_array,
                                       const void* const* Barray, cudaDataType_t Btype, const Index* ldb_array,
                                       const void* beta_array, void* const* Carray, cudaDataType_t Ctype,
                                       const Index* ldc_array, Int group_count, const Index* group_size,
                                       cublasComputeType_t computeType) {
    const bool is_double = computeType == CUBLAS_COMPUTE_64F || computeType == CUBLAS_COMPUTE_64F_PEDANTIC ||
                           computeType == CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT;
    const bool is_half = computeType == CUBLAS_COMPUTE_16F || computeType == CUBLAS_COMPUTE_16F_PEDANTIC;
    const Int factor = (is_double ? 8 : is_half ? 2 : 4) * (Ctype == real_of(Ctype) ? 1 : 2);
    for (Int group = 0, first = 0; group < group_count; first += group_size[group++])
        if (const cublasStatus_t status =
                gemm_batched_ex(served, handle, transa_array[group], transb_array[group], m_array[group],
                                n_array[group], k_array[group], static_cast<const char*>(alpha_array) + group * factor,
                                Aarray + first, Atype, lda_array[group], Barray + first, Btype, ldb_array[group],
                                static_cast<const char*>(beta_array) + group * factor, Carray + first, Ctype,
                                ldc_array[group], group_size[group], computeType, CUBLAS_GEMM_DEFAULT);
            status != CUBLAS_STATUS_SUCCESS)
            return status;
    return CUBLAS_STATUS_SUCCESS;
}

/// Calls `move(packed, whole)` with the places of each element of a triangle: packed by columns, and in the matrix.
template <class Move>
void each_of_packed(cublasFillMode_t uplo, Int n, Int lda, Move move) {
    Int packed = 0;
    each_of_triangle(uplo, n, [&](Int row, Int column) { move(packed++, column * lda + row); });
}
template <class T>
cublasStatus_t tpttr(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* AP, T* A, Int lda) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_leading("lda", lda, n, "A");
    if (!request.ok() || n == 0) return request.status();
    const std::size_t from = request.vector("AP", AP, n * (n + 1) / 2, 1, Access::read);
    const std::size_t to = request.matrix("A", A, n, n, lda, Access::written);
    return request.ask([=](Operands& o) {
        each_of_packed(uplo, n, lda, [&](Int packed, Int whole) { o.at<T>(to)[whole] = o.at<T>(from)[packed]; });
    });
}
template <class T>
cublasStatus_t trttp(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* A, Int lda, T* AP) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_leading("lda", lda, n, "A");
    if (!request.ok() || n == 0) return request.status();
    // Of the other triangle nothing is used.
    const std::size_t from = request.matrix("A", A, n, n, lda, Access::none);
    const std::size_t to = request.vector("AP", AP, n * (n + 1) / 2, 1, Access::written);
    return request.ask([=](Operands& o) {
        each_of_packed(uplo, n, lda, [&](Int packed, Int whole) { o.at<T>(to)[packed] = o.at<T>(from)[whole]; });
    });
}

}  // namespace cudash::libraries::cublas::bodies
