// Level 2: a matrix and vectors.
#pragma once

#include <vector>

#include "runtime_wrappers/libraries/cublas/request.h"

namespace cudash::libraries::cublas::bodies {

using Int = std::int64_t;

/// Elements of a triangle that is stored without gaps.
inline Int packed_size(Int n) {
    return n * (n + 1) / 2;
}

template <class T>
cublasStatus_t gemv(Served& served, cublasHandle_t handle, cublasOperation_t trans, Int m, Int n, const T* alpha,
                    const T* A, Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {
    Request request(served, handle);
    request.need_operation("trans", trans);
    request.need_size("m", m);
    request.need_size("n", n);
    request.need_leading("lda", lda, m, "A");
    request.need_stride("incx", incx);
    request.need_stride("incy", incy);
    const auto a = request.scalar("alpha", alpha), b = request.scalar("beta", beta);
    if (!request.ok() || m == 0 || n == 0) return request.status();
    const Int columns = trans == CUBLAS_OP_N ? n : m, rows = trans == CUBLAS_OP_N ? m : n;
    const std::size_t matrix = request.matrix("A", A, m, n, lda, Access::read);
    const std::size_t from = request.vector("x", x, columns, incx, Access::read);
    const std::size_t to = request.vector("y", y, rows, incy, Access::both);
    request.work().costs(2.0 * static_cast<double>(m) * static_cast<double>(n), of_doubles<T>);
    return request.ask([=](Operands& o) {
        blas<T>().gemv(CblasColMajor, of(trans), size_of(m), size_of(n), a(o), o.at<T>(matrix), size_of(lda),
                       o.at<T>(from), size_of(incx), b(o), o.at<T>(to), size_of(incy));
    });
}
template <class T>
cublasStatus_t gbmv(Served& served, cublasHandle_t handle, cublasOperation_t trans, Int m, Int n, Int kl, Int ku,
                    const T* alpha, const T* A, Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {
    Request request(served, handle);
    request.need_operation("trans", trans);
    request.need_size("m", m);
    request.need_size("n", n);
    request.need_size("kl", kl);
    request.need_size("ku", ku);
    request.need_leading("lda", lda, kl + ku + 1, "A");
    request.need_stride("incx", incx);
    request.need_stride("incy", incy);
    const auto a = request.scalar("alpha", alpha), b = request.scalar("beta", beta);
    if (!request.ok() || m == 0 || n == 0) return request.status();
    const Int columns = trans == CUBLAS_OP_N ? n : m, rows = trans == CUBLAS_OP_N ? m : n;
    const std::size_t matrix = request.matrix("A", A, kl + ku + 1, n, lda, Access::read);
    const std::size_t from = request.vector("x", x, columns, incx, Access::read);
    const std::size_t to = request.vector("y", y, rows, incy, Access::both);
    return request.ask([=](Operands& o) {
        blas<T>().gbmv(CblasColMajor, of(trans), size_of(m), size_of(n), size_of(kl), size_of(ku), a(o),
                       o.at<T>(matrix), size_of(lda), o.at<T>(from), size_of(incx), b(o), o.at<T>(to), size_of(incy));
    });
}

/// A += alpha * x * y^T: `add(alpha, x, y, A)` adds.
template <class T, class Add>
cublasStatus_t rank_1(Served& served, cublasHandle_t handle, Int m, Int n, const T* alpha, const T* x, Int incx,
                      const T* y, Int incy, T* A, Int lda, Add add) {
    Request request(served, handle);
    request.need_size("m", m);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    request.need_stride("incy", incy);
    request.need_leading("lda", lda, m, "A");
    const auto a = request.scalar("alpha", alpha);
    if (!request.ok() || m == 0 || n == 0) return request.status();
    const std::size_t left = request.vector("x", x, m, incx, Access::read);
    const std::size_t right = request.vector("y", y, n, incy, Access::read);
    const std::size_t to = request.matrix("A", A, m, n, lda, Access::both);
    return request.ask([=](Operands& o) { add(a(o), o.at<T>(left), o.at<T>(right), o.at<T>(to)); });
}
#define CUDASH_RANK_1(name)                                                                                            \
    template <class T>                                                                                                 \
    cublasStatus_t name(Served& served, cublasHandle_t handle, Int m, Int n, const T* alpha, const T* x, Int incx,     \
                        const T* y, Int incy, T* A, Int lda) {                                                         \
        return rank_1(served, handle, m, n, alpha, x, incx, y, incy, A, lda, [=](T a, const T* l, const T* r, T* to) { \
            blas<T>().name(CblasColMajor, size_of(m), size_of(n), a, l, size_of(incx), r, size_of(incy), to,           \
                           size_of(lda));                                                                              \
        });                                                                                                            \
    }
CUDASH_RANK_1(ger)
CUDASH_RANK_1(geru)
CUDASH_RANK_1(gerc)
#undef CUDASH_RANK_1

/// y = alpha * A * x + beta * y for a symmetric or Hermitian A: `add` gathers the matrix, and `multiply` multiplies.
template <class T, class Add, class Multiply>
cublasStatus_t symmetric_product(Request& request, cublasFillMode_t uplo, Int n, const T* alpha, const T* x, Int incx,
                                 const T* beta, T* y, Int incy, Add add, Multiply multiply) {
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    request.need_stride("incy", incy);
    const auto a = request.scalar("alpha", alpha), b = request.scalar("beta", beta);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t matrix = add();
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    const std::size_t to = request.vector("y", y, n, incy, Access::both);
    return request.ask([=](Operands& o) { multiply(a(o), o.at<T>(matrix), o.at<T>(from), b(o), o.at<T>(to)); });
}
/// Calls `with(row, column)` for each element of a triangle.
template <class With>
void each_of_triangle(cublasFillMode_t uplo, Int n, With with) {
    const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
    for (Int column = 0; column < n; ++column)
        for (Int row = lower ? column : 0; row < (lower ? n : column + 1); ++row) with(row, column);
}
/// The first of `n` elements at a stride that may be negative.
template <class T>
T* first_of(T* x, Int n, Int stride) {
    return stride < 0 ? x + (1 - n) * stride : x;
}
/// symv of complex numbers, which CBLAS has not got.
template <class T>
void symmetric_gemv(cublasFillMode_t uplo, Int n, T alpha, const T* A, Int lda, const T* x, Int incx, T beta, T* y,
                    Int incy) {
    std::vector<T> whole(static_cast<std::size_t>(n * n));
    each_of_triangle(uplo, n, [&](Int row, Int column) {
        whole[static_cast<std::size_t>(column * n + row)] = whole[static_cast<std::size_t>(row * n + column)] =
            A[column * lda + row];
    });
    blas<T>().gemv(CblasColMajor, CblasNoTrans, size_of(n), size_of(n), alpha, whole.data(), size_of(n), x,
                   size_of(incx), beta, y, size_of(incy));
}

// symv and hemv, sbmv and hbmv, spmv and hpmv take the same arguments.
#define CUDASH_MV(name, ...)                                                                                 \
    template <class T>                                                                                       \
    cublasStatus_t name(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, \
                        const T* A, Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {          \
        Request request(served, handle);                                                                     \
        request.need_leading("lda", lda, n, "A");                                                            \
        return symmetric_product(                                                                            \
            request, uplo, n, alpha, x, incx, beta, y, incy,                                                 \
            [&] { return request.matrix("A", A, n, n, lda, Access::read); },                                 \
            [=](T a, const T* matrix, const T* from, T b, T* to) { __VA_ARGS__ });                           \
    }
#define CUDASH_CALL_MV(name)                                                                                 \
    blas<T>().name(CblasColMajor, of(uplo), size_of(n), a, matrix, size_of(lda), from, size_of(incx), b, to, \
                   size_of(incy));
CUDASH_MV(symv, if constexpr (is_complex<T>) symmetric_gemv(uplo, n, a, matrix, lda, from, incx, b, to, incy);
          else CUDASH_CALL_MV(symv))
CUDASH_MV(hemv, CUDASH_CALL_MV(hemv))
#undef CUDASH_MV
#undef CUDASH_CALL_MV
#define CUDASH_BMV(name)                                                                                            \
    template <class T>                                                                                              \
    cublasStatus_t name(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, Int k, const T* alpha, \
                        const T* A, Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {                 \
        Request request(served, handle);                                                                            \
        request.need_size("k", k);                                                                                  \
        request.need_leading("lda", lda, k + 1, "A");                                                               \
        return symmetric_product(                                                                                   \
            request, uplo, n, alpha, x, incx, beta, y, incy,                                                        \
            [&] { return request.matrix("A", A, k + 1, n, lda, Access::read); },                                    \
            [=](T a, const T* matrix, const T* from, T b, T* to) {                                                  \
                blas<T>().name(CblasColMajor, of(uplo), size_of(n), size_of(k), a, matrix, size_of(lda), from,      \
                               size_of(incx), b, to, size_of(incy));                                                \
            });                                                                                                     \
    }
CUDASH_BMV(sbmv)
CUDASH_BMV(hbmv)
#undef CUDASH_BMV
#define CUDASH_PMV(name)                                                                                     \
    template <class T>                                                                                       \
    cublasStatus_t name(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, \
                        const T* AP, const T* x, Int incx, const T* beta, T* y, Int incy) {                  \
        Request request(served, handle);                                                                     \
        return symmetric_product(                                                                            \
            request, uplo, n, alpha, x, incx, beta, y, incy,                                                 \
            [&] { return request.vector("AP", AP, packed_size(n), 1, Access::read); },                       \
            [=](T a, const T* matrix, const T* from, T b, T* to) {                                           \
                blas<T>().name(CblasColMajor, of(uplo), size_of(n), a, matrix, from, size_of(incx), b, to,   \
                               size_of(incy));                                                               \
            });                                                                                              \
    }
CUDASH_PMV(spmv)
CUDASH_PMV(hpmv)
#undef CUDASH_PMV

/// A += alpha * x * x^T in a triangle: `add` gathers it, and `compute(alpha, x, A)` adds. The factor of a Hermitian
/// matrix is real.
template <class By, class T, class Add, class Compute>
cublasStatus_t rank_1_of_one(Request& request, cublasFillMode_t uplo, Int n, const By* alpha, const T* x, Int incx,
                             Add add, Compute compute) {
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    const auto a = request.scalar("alpha", alpha);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    const std::size_t to = add();
    return request.ask([=](Operands& o) { compute(a(o), o.at<T>(from), o.at<T>(to)); });
}
template <class T>
cublasStatus_t syr(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, const T* x,
                   Int incx, T* A, Int lda) {
    Request request(served, handle);
    request.need_leading("lda", lda, n, "A");
    return rank_1_of_one(
        request, uplo, n, alpha, x, incx, [&] { return request.matrix("A", A, n, n, lda, Access::both); },
        [=](T a, const T* from, T* to) {
            if constexpr (is_complex<T>) {
                const T* values = first_of(from, n, incx);
                each_of_triangle(uplo, n, [&](Int row, Int column) {
                    to[column * lda + row] += a * values[row * incx] * values[column * incx];
                });
            } else {
                blas<T>().syr(CblasColMajor, of(uplo), size_of(n), a, from, size_of(incx), to, size_of(lda));
            }
        });
}
template <class T>
cublasStatus_t her(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const RealOf<T>* alpha,
                   const T* x, Int incx, T* A, Int lda) {
    Request request(served, handle);
    request.need_leading("lda", lda, n, "A");
    return rank_1_of_one(
        request, uplo, n, alpha, x, incx, [&] { return request.matrix("A", A, n, n, lda, Access::both); },
        [=](RealOf<T> a, const T* from, T* to) {
            blas<T>().her(CblasColMajor, of(uplo), size_of(n), a, from, size_of(incx), to, size_of(lda));
        });
}
#define CUDASH_PR(name, By)                                                                                   \
    template <class T>                                                                                        \
    cublasStatus_t name(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const By* alpha, \
                        const T* x, Int incx, T* AP) {                                                        \
        Request request(served, handle);                                                                      \
        return rank_1_of_one(                                                                                 \
            request, uplo, n, alpha, x, incx,                                                                 \
            [&] { return request.vector("AP", AP, packed_size(n), 1, Access::both); },                        \
            [=](By a, const T* from, T* to) {                                                                 \
                blas<T>().name(CblasColMajor, of(uplo), size_of(n), a, from, size_of(incx), to);              \
            });                                                                                               \
    }
CUDASH_PR(spr, T)
CUDASH_PR(hpr, RealOf<T>)
#undef CUDASH_PR

/// The same with two vectors.
template <class T, class Add, class Compute>
cublasStatus_t rank_1_of_two(Request& request, cublasFillMode_t uplo, Int n, const T* alpha, const T* x, Int incx,
                             const T* y, Int incy, Add add, Compute compute) {
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    request.need_stride("incy", incy);
    const auto a = request.scalar("alpha", alpha);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t left = request.vector("x", x, n, incx, Access::read);
    const std::size_t right = request.vector("y", y, n, incy, Access::read);
    const std::size_t to = add();
    return request.ask([=](Operands& o) { compute(a(o), o.at<T>(left), o.at<T>(right), o.at<T>(to)); });
}
#define CUDASH_R2(name, ...)                                                                                 \
    template <class T>                                                                                       \
    cublasStatus_t name(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, \
                        const T* x, Int incx, const T* y, Int incy, T* A, Int lda) {                         \
        Request request(served, handle);                                                                     \
        request.need_leading("lda", lda, n, "A");                                                            \
        return rank_1_of_two(                                                                                \
            request, uplo, n, alpha, x, incx, y, incy,                                                       \
            [&] { return request.matrix("A", A, n, n, lda, Access::both); },                                 \
            [=](T a, const T* left, const T* right, T* to) { __VA_ARGS__ });                                 \
    }
#define CUDASH_CALL_R2(name) \
    blas<T>().name(CblasColMajor, of(uplo), size_of(n), a, left, size_of(incx), right, size_of(incy), to, size_of(lda));
/// syr2 of complex numbers, which CBLAS has not got.
template <class T>
void symmetric_r2(cublasFillMode_t uplo, Int n, T alpha, const T* x, Int incx, const T* y, Int incy, T* A, Int lda) {
    x = first_of(x, n, incx);
    y = first_of(y, n, incy);
    each_of_triangle(uplo, n, [&](Int row, Int column) {
        A[column * lda + row] += alpha * (x[row * incx] * y[column * incy] + y[row * incy] * x[column * incx]);
    });
}
CUDASH_R2(syr2, if constexpr (is_complex<T>) symmetric_r2(uplo, n, a, left, incx, right, incy, to, lda);
          else CUDASH_CALL_R2(syr2))
CUDASH_R2(her2, CUDASH_CALL_R2(her2))
#undef CUDASH_R2
#undef CUDASH_CALL_R2
#define CUDASH_PR2(name)                                                                                               \
    template <class T>                                                                                                 \
    cublasStatus_t name(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha,           \
                        const T* x, Int incx, const T* y, Int incy, T* AP) {                                           \
        Request request(served, handle);                                                                               \
        return rank_1_of_two(                                                                                          \
            request, uplo, n, alpha, x, incx, y, incy,                                                                 \
            [&] { return request.vector("AP", AP, packed_size(n), 1, Access::both); },                                 \
            [=](T a, const T* left, const T* right, T* to) {                                                           \
                blas<T>().name(CblasColMajor, of(uplo), size_of(n), a, left, size_of(incx), right, size_of(incy), to); \
            });                                                                                                        \
    }
CUDASH_PR2(spr2)
CUDASH_PR2(hpr2)
#undef CUDASH_PR2

/// x = A * x, or A^-1 * x, for a triangle: `add` gathers the matrix, and `work` works.
template <class T, class Add, class Compute>
cublasStatus_t triangular(Request& request, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                          Int n, T* x, Int incx, Add add, Compute compute) {
    request.need_fill(uplo);
    request.need_operation("trans", trans);
    request.need_diagonal(diag);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t matrix = add();
    const std::size_t to = request.vector("x", x, n, incx, Access::both);
    return request.ask([=](Operands& o) { compute(o.at<T>(matrix), o.at<T>(to)); });
}
template <class T>
cublasStatus_t trmv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, Int n, const T* A, Int lda, T* x, Int incx) {
    Request request(served, handle);
    request.need_leading("lda", lda, n, "A");
    return triangular(
        request, uplo, trans, diag, n, x, incx, [&] { return request.matrix("A", A, n, n, lda, Access::read); },
        [=](const T* matrix, T* to) {
            blas<T>().trmv(CblasColMajor, of(uplo), of(trans), of(diag), size_of(n), matrix, size_of(lda), to,
                           size_of(incx));
        });
}
template <class T>
cublasStatus_t trsv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, Int n, const T* A, Int lda, T* x, Int incx) {
    Request request(served, handle);
    request.need_leading("lda", lda, n, "A");
    return triangular(
        request, uplo, trans, diag, n, x, incx, [&] { return request.matrix("A", A, n, n, lda, Access::read); },
        [=](const T* matrix, T* to) {
            blas<T>().trsv(CblasColMajor, of(uplo), of(trans), of(diag), size_of(n), matrix, size_of(lda), to,
                           size_of(incx));
        });
}
template <class T>
cublasStatus_t tbmv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, Int n, Int k, const T* A, Int lda, T* x, Int incx) {
    Request request(served, handle);
    request.need_size("k", k);
    request.need_leading("lda", lda, k + 1, "A");
    return triangular(
        request, uplo, trans, diag, n, x, incx, [&] { return request.matrix("A", A, k + 1, n, lda, Access::read); },
        [=](const T* matrix, T* to) {
            blas<T>().tbmv(CblasColMajor, of(uplo), of(trans), of(diag), size_of(n), size_of(k), matrix, size_of(lda),
                           to, size_of(incx));
        });
}
template <class T>
cublasStatus_t tbsv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, Int n, Int k, const T* A, Int lda, T* x, Int incx) {
    Request request(served, handle);
    request.need_size("k", k);
    request.need_leading("lda", lda, k + 1, "A");
    return triangular(
        request, uplo, trans, diag, n, x, incx, [&] { return request.matrix("A", A, k + 1, n, lda, Access::read); },
        [=](const T* matrix, T* to) {
            blas<T>().tbsv(CblasColMajor, of(uplo), of(trans), of(diag), size_of(n), size_of(k), matrix, size_of(lda),
                           to, size_of(incx));
        });
}
template <class T>
cublasStatus_t tpmv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, Int n, const T* AP, T* x, Int incx) {
    Request request(served, handle);
    return triangular(
        request, uplo, trans, diag, n, x, incx,
        [&] { return request.vector("AP", AP, packed_size(n), 1, Access::read); },
        [=](const T* matrix, T* to) {
            blas<T>().tpmv(CblasColMajor, of(uplo), of(trans), of(diag), size_of(n), matrix, to, size_of(incx));
        });
}
template <class T>
cublasStatus_t tpsv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, Int n, const T* AP, T* x, Int incx) {
    Request request(served, handle);
    return triangular(
        request, uplo, trans, diag, n, x, incx,
        [&] { return request.vector("AP", AP, packed_size(n), 1, Access::read); },
        [=](const T* matrix, T* to) {
            blas<T>().tpsv(CblasColMajor, of(uplo), of(trans), of(diag), size_of(n), matrix, to, size_of(incx));
        });
}

}  // namespace cudash::libraries::cublas::bodies
