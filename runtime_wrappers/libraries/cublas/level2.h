// Level 2: a matrix and vectors.
#pragma once

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
    request.work().costs(2.0 * static_cast<double>(m) * static_cast<double>(n), sizeof(T) == 8);
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

template <class T>
cublasStatus_t ger(Served& served, cublasHandle_t handle, Int m, Int n, const T* alpha, const T* x, Int incx,
                   const T* y, Int incy, T* A, Int lda) {
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
    return request.ask([=](Operands& o) {
        blas<T>().ger(CblasColMajor, size_of(m), size_of(n), a(o), o.at<T>(left), size_of(incx), o.at<T>(right),
                      size_of(incy), o.at<T>(to), size_of(lda));
    });
}

/// y = alpha * A * x + beta * y for a symmetric A: `add` gathers the matrix, and `multiply` multiplies.
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
template <class T>
cublasStatus_t symv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, const T* A,
                    Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {
    Request request(served, handle);
    request.need_leading("lda", lda, n, "A");
    return symmetric_product(
        request, uplo, n, alpha, x, incx, beta, y, incy,
        [&] { return request.matrix("A", A, n, n, lda, Access::read); },
        [=](T a, const T* matrix, const T* from, T b, T* to) {
            blas<T>().symv(CblasColMajor, of(uplo), size_of(n), a, matrix, size_of(lda), from, size_of(incx), b, to,
                           size_of(incy));
        });
}
template <class T>
cublasStatus_t sbmv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, Int k, const T* alpha,
                    const T* A, Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {
    Request request(served, handle);
    request.need_size("k", k);
    request.need_leading("lda", lda, k + 1, "A");
    return symmetric_product(
        request, uplo, n, alpha, x, incx, beta, y, incy,
        [&] { return request.matrix("A", A, k + 1, n, lda, Access::read); },
        [=](T a, const T* matrix, const T* from, T b, T* to) {
            blas<T>().sbmv(CblasColMajor, of(uplo), size_of(n), size_of(k), a, matrix, size_of(lda), from,
                           size_of(incx), b, to, size_of(incy));
        });
}
template <class T>
cublasStatus_t spmv(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, const T* AP,
                    const T* x, Int incx, const T* beta, T* y, Int incy) {
    Request request(served, handle);
    return symmetric_product(
        request, uplo, n, alpha, x, incx, beta, y, incy,
        [&] { return request.vector("AP", AP, packed_size(n), 1, Access::read); },
        [=](T a, const T* matrix, const T* from, T b, T* to) {
            blas<T>().spmv(CblasColMajor, of(uplo), size_of(n), a, matrix, from, size_of(incx), b, to, size_of(incy));
        });
}

template <class T>
cublasStatus_t syr(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, const T* x,
                   Int incx, T* A, Int lda) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    request.need_leading("lda", lda, n, "A");
    const auto a = request.scalar("alpha", alpha);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    const std::size_t to = request.matrix("A", A, n, n, lda, Access::both);
    return request.ask([=](Operands& o) {
        blas<T>().syr(CblasColMajor, of(uplo), size_of(n), a(o), o.at<T>(from), size_of(incx), o.at<T>(to),
                      size_of(lda));
    });
}
template <class T>
cublasStatus_t spr(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, const T* x,
                   Int incx, T* AP) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    const auto a = request.scalar("alpha", alpha);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    const std::size_t to = request.vector("AP", AP, packed_size(n), 1, Access::both);
    return request.ask([=](Operands& o) {
        blas<T>().spr(CblasColMajor, of(uplo), size_of(n), a(o), o.at<T>(from), size_of(incx), o.at<T>(to));
    });
}
template <class T>
cublasStatus_t syr2(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, const T* x,
                    Int incx, const T* y, Int incy, T* A, Int lda) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    request.need_stride("incy", incy);
    request.need_leading("lda", lda, n, "A");
    const auto a = request.scalar("alpha", alpha);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t left = request.vector("x", x, n, incx, Access::read);
    const std::size_t right = request.vector("y", y, n, incy, Access::read);
    const std::size_t to = request.matrix("A", A, n, n, lda, Access::both);
    return request.ask([=](Operands& o) {
        blas<T>().syr2(CblasColMajor, of(uplo), size_of(n), a(o), o.at<T>(left), size_of(incx), o.at<T>(right),
                       size_of(incy), o.at<T>(to), size_of(lda));
    });
}
template <class T>
cublasStatus_t spr2(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, Int n, const T* alpha, const T* x,
                    Int incx, const T* y, Int incy, T* AP) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_stride("incx", incx);
    request.need_stride("incy", incy);
    const auto a = request.scalar("alpha", alpha);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t left = request.vector("x", x, n, incx, Access::read);
    const std::size_t right = request.vector("y", y, n, incy, Access::read);
    const std::size_t to = request.vector("AP", AP, packed_size(n), 1, Access::both);
    return request.ask([=](Operands& o) {
        blas<T>().spr2(CblasColMajor, of(uplo), size_of(n), a(o), o.at<T>(left), size_of(incx), o.at<T>(right),
                       size_of(incy), o.at<T>(to));
    });
}

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
