// The newer interface of cuSOLVER's dense part: sizes of 64 bits, types that the call names.
#pragma once

#include <limits>

#include "runtime_wrappers/libraries/cusolver/dense.h"

namespace cudash::libraries::cusolver::bodies {

cusolverStatus_t create_parameters(Served& served, cusolverDnParams_t* params);
cusolverStatus_t destroy_parameters(Served& served, cusolverDnParams_t params);
/// Which algorithm: there is one.
cusolverStatus_t set_option(Served& served, cusolverDnParams_t params, cusolverDnFunction_t function,
                            cusolverAlgMode_t algo);

/// The rooms that a call asks for: on the device, then on the host, where none is needed.
template <class... Arguments>
cusolverStatus_t buffer_sizes(Served& served, cusolverDnHandle_t handle, Arguments... arguments) {
    Request request(served, handle);
    std::size_t* places[2] = {};
    std::size_t count = 0;
    (
        [&](auto argument) {
            if constexpr (std::is_same_v<decltype(argument), std::size_t*>) places[count++] = argument;
        }(arguments),
        ...);
    request.need_places(places[0], places[1]);
    if (!request.ok()) return request.status();
    *places[0] = sizeof(Complex<double>) * some_work;
    *places[1] = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

/// Calls `call` with a number of the type, if all the types are that one and the sizes are those of real matrices.
template <class Call>
cusolverStatus_t with_type(std::initializer_list<cudaDataType> types, std::initializer_list<std::int64_t> sizes,
                           Call call) {
    ArgumentLook<cusolverStatus_t> look;
    const cudaDataType type = *types.begin();
    for (const cudaDataType other : types)
        look.lacks(other != type, "the virtual GPU computes with one type; the call names {} and {}",
                   static_cast<int>(type), static_cast<int>(other));
    for (const std::int64_t size : sizes)
        look.need(size >= 0 && size <= std::numeric_limits<int>::max(), "a size is {}", size);
    if (!look.ok()) return look.status();
    switch (type) {
        case CUDA_R_32F:
            return call(float{});
        case CUDA_R_64F:
            return call(double{});
        case CUDA_C_32F:
            return call(Complex<float>{});
        case CUDA_C_64F:
            return call(Complex<double>{});
        default:
            look.lacks(true, "the virtual GPU has no matrices of type {} here", static_cast<int>(type));
            return look.status();
    }
}
inline int narrowed(std::int64_t size) {
    return static_cast<int>(size);
}
/// The type of a matrix's eigenvalues or singular values.
inline cudaDataType complex_as(cudaDataType real, cudaDataType matrix) {
    if (matrix == CUDA_C_32F && real == CUDA_R_32F) return matrix;
    if (matrix == CUDA_C_64F && real == CUDA_R_64F) return matrix;
    return real;
}

using Int = std::int64_t;

inline cusolverStatus_t xpotrf(Served& served, cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo,
                               Int n, cudaDataType type, void* A, Int lda, cudaDataType compute, void*, std::size_t,
                               void*, std::size_t, int* info) {
    return with_type({type, compute}, {n, lda}, [&]<class T>(T) {
        return potrf(served, handle, uplo, narrowed(n), static_cast<T*>(A), narrowed(lda), static_cast<T*>(nullptr), 0,
                     info);
    });
}
inline cusolverStatus_t xpotrs(Served& served, cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo,
                               Int n, Int nrhs, cudaDataType type, const void* A, Int lda, cudaDataType type_b, void* B,
                               Int ldb, int* info) {
    return with_type({type, type_b}, {n, nrhs, lda, ldb}, [&]<class T>(T) {
        return potrs(served, handle, uplo, narrowed(n), narrowed(nrhs), static_cast<const T*>(A), narrowed(lda),
                     static_cast<T*>(B), narrowed(ldb), info);
    });
}
inline cusolverStatus_t xgetrf(Served& served, cusolverDnHandle_t handle, cusolverDnParams_t, Int m, Int n,
                               cudaDataType type, void* A, Int lda, Int* pivots, cudaDataType compute, void*,
                               std::size_t, void*, std::size_t, int* info) {
    return with_type({type, compute}, {m, n, lda}, [&]<class T>(T) {
        return getrf(served, handle, narrowed(m), narrowed(n), static_cast<T*>(A), narrowed(lda),
                     static_cast<T*>(nullptr), pivots, info);
    });
}
inline cusolverStatus_t xgetrs(Served& served, cusolverDnHandle_t handle, cusolverDnParams_t, cublasOperation_t trans,
                               Int n, Int nrhs, cudaDataType type, const void* A, Int lda, const Int* pivots,
                               cudaDataType type_b, void* B, Int ldb, int* info) {
    return with_type({type, type_b}, {n, nrhs, lda, ldb}, [&]<class T>(T) {
        return getrs(served, handle, trans, narrowed(n), narrowed(nrhs), static_cast<const T*>(A), narrowed(lda),
                     pivots, static_cast<T*>(B), narrowed(ldb), info);
    });
}
inline cusolverStatus_t xgeqrf(Served& served, cusolverDnHandle_t handle, cusolverDnParams_t, Int m, Int n,
                               cudaDataType type, void* A, Int lda, cudaDataType type_tau, void* tau,
                               cudaDataType compute, void*, std::size_t, void*, std::size_t, int* info) {
    return with_type({type, type_tau, compute}, {m, n, lda}, [&]<class T>(T) {
        return geqrf(served, handle, narrowed(m), narrowed(n), static_cast<T*>(A), narrowed(lda), static_cast<T*>(tau),
                     static_cast<T*>(nullptr), 0, info);
    });
}
inline cusolverStatus_t xsyevd(Served& served, cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t jobz,
                               cublasFillMode_t uplo, Int n, cudaDataType type, void* A, Int lda, cudaDataType type_w,
                               void* W, cudaDataType compute, void*, std::size_t, void*, std::size_t, int* info) {
    return with_type({type, complex_as(type_w, type), compute}, {n, lda}, [&]<class T>(T) {
        return syevd(served, handle, jobz, uplo, narrowed(n), static_cast<T*>(A), narrowed(lda),
                     static_cast<RealOf<T>*>(W), static_cast<T*>(nullptr), 0, info);
    });
}
inline cusolverStatus_t xgesvd(Served& served, cusolverDnHandle_t handle, cusolverDnParams_t, signed char jobu,
                               signed char jobvt, Int m, Int n, cudaDataType type, void* A, Int lda,
                               cudaDataType type_s, void* S, cudaDataType type_u, void* U, Int ldu, cudaDataType type_v,
                               void* VT, Int ldvt, cudaDataType compute, void*, std::size_t, void*, std::size_t,
                               int* info) {
    return with_type(
        {type, complex_as(type_s, type), type_u, type_v, compute}, {m, n, lda, ldu, ldvt}, [&]<class T>(T) {
            using Real = RealOf<T>;
            return gesvd(served, handle, jobu, jobvt, narrowed(m), narrowed(n), static_cast<T*>(A), narrowed(lda),
                         static_cast<Real*>(S), static_cast<T*>(U), narrowed(ldu), static_cast<T*>(VT), narrowed(ldvt),
                         static_cast<T*>(nullptr), 0, static_cast<Real*>(nullptr), info);
        });
}

}  // namespace cudash::libraries::cusolver::bodies
