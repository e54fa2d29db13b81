// Level 3 but for gemm (products.h): symmetric and triangular matrices, and what cuBLAS adds.
#pragma once

#include "runtime_wrappers/libraries/cublas/request.h"

namespace cudash::libraries::cublas::bodies {

using Int = std::int64_t;

template <class T>
cublasStatus_t symm(Served& served, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, Int m, Int n,
                    const T* alpha, const T* A, Int lda, const T* B, Int ldb, const T* beta, T* C, Int ldc) {
    Request request(served, handle);
    request.need_side(side);
    request.need_fill(uplo);
    request.need_size("m", m);
    request.need_size("n", n);
    const Int order = side == CUBLAS_SIDE_LEFT ? m : n;
    request.need_leading("lda", lda, order, "A");
    request.need_leading("ldb", ldb, m, "B");
    request.need_leading("ldc", ldc, m, "C");
    const auto by = request.scalar("alpha", alpha), keep = request.scalar("beta", beta);
    if (!request.ok() || m == 0 || n == 0) return request.status();
    const std::size_t a = request.matrix("A", A, order, order, lda, Access::read);
    const std::size_t b = request.matrix("B", B, m, n, ldb, Access::read);
    const std::size_t c = request.matrix("C", C, m, n, ldc, Access::both);
    request.work().costs(2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(order),
                         sizeof(T) == 8);
    return request.ask([=](Operands& o) {
        blas<T>().symm(CblasColMajor, of(side), of(uplo), size_of(m), size_of(n), by(o), o.at<T>(a), size_of(lda),
                       o.at<T>(b), size_of(ldb), keep(o), o.at<T>(c), size_of(ldc));
    });
}

template <class T>
cublasStatus_t syrk(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n, Int k,
                    const T* alpha, const T* A, Int lda, const T* beta, T* C, Int ldc) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_operation("trans", trans);
    request.need_size("n", n);
    request.need_size("k", k);
    const Int rows = trans == CUBLAS_OP_N ? n : k, columns = trans == CUBLAS_OP_N ? k : n;
    request.need_leading("lda", lda, rows, "A");
    request.need_leading("ldc", ldc, n, "C");
    const auto by = request.scalar("alpha", alpha), keep = request.scalar("beta", beta);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t a = request.matrix("A", A, rows, columns, lda, Access::read);
    const std::size_t c = request.matrix("C", C, n, n, ldc, Access::both);
    request.work().costs(static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k), sizeof(T) == 8);
    return request.ask([=](Operands& o) {
        blas<T>().syrk(CblasColMajor, of(uplo), of(trans), size_of(n), size_of(k), by(o), o.at<T>(a), size_of(lda),
                       keep(o), o.at<T>(c), size_of(ldc));
    });
}

/// The operands of C = alpha * (op(A) * op(B)^T ...) + beta * C with a triangle C; `work` computes.
template <class T, class Compute>
cublasStatus_t rank_k_of_two(Request& request, cublasFillMode_t uplo, cublasOperation_t trans, Int n, Int k,
                             const T* alpha, const T* A, Int lda, const T* B, Int ldb, const T* beta, T* C, Int ldc,
                             Compute compute) {
    request.need_fill(uplo);
    request.need_operation("trans", trans);
    request.need_size("n", n);
    request.need_size("k", k);
    const Int rows = trans == CUBLAS_OP_N ? n : k, columns = trans == CUBLAS_OP_N ? k : n;
    request.need_leading("lda", lda, rows, "A");
    request.need_leading("ldb", ldb, rows, "B");
    request.need_leading("ldc", ldc, n, "C");
    const auto by = request.scalar("alpha", alpha), keep = request.scalar("beta", beta);
    if (!request.ok() || n == 0) return request.status();
    const std::size_t a = request.matrix("A", A, rows, columns, lda, Access::read);
    const std::size_t b = request.matrix("B", B, rows, columns, ldb, Access::read);
    const std::size_t c = request.matrix("C", C, n, n, ldc, Access::both);
    request.work().costs(2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k),
                         sizeof(T) == 8);
    return request.ask([=](Operands& o) { compute(by(o), o.at<T>(a), o.at<T>(b), keep(o), o.at<T>(c)); });
}
template <class T>
cublasStatus_t syr2k(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n,
                     Int k, const T* alpha, const T* A, Int lda, const T* B, Int ldb, const T* beta, T* C, Int ldc) {
    Request request(served, handle);
    return rank_k_of_two(request, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
                         [=](T by, const T* a, const T* b, T keep, T* c) {
                             blas<T>().syr2k(CblasColMajor, of(uplo), of(trans), size_of(n), size_of(k), by, a,
                                             size_of(lda), b, size_of(ldb), keep, c, size_of(ldc));
                         });
}
/// "[...] only the triangle of C is computed": a product whose other triangle is thrown away.
template <class T>
cublasStatus_t syrkx(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n,
                     Int k, const T* alpha, const T* A, Int lda, const T* B, Int ldb, const T* beta, T* C, Int ldc) {
    Request request(served, handle);
    return rank_k_of_two(request, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
                         [=](T by, const T* a, const T* b, T keep, T* c) {
                             std::vector<T> whole(static_cast<std::size_t>(n * n));
                             const bool straight = trans == CUBLAS_OP_N;
                             blas<T>().gemm(CblasColMajor, straight ? CblasNoTrans : CblasTrans,
                                            straight ? CblasTrans : CblasNoTrans, size_of(n), size_of(n), size_of(k),
                                            by, a, size_of(lda), b, size_of(ldb), T(0), whole.data(), size_of(n));
                             for (Int column = 0; column < n; ++column) {
                                 const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
                                 for (Int row = lower ? column : 0; row < (lower ? n : column + 1); ++row) {
                                     T& to = c[column * ldc + row];
                                     to = whole[static_cast<std::size_t>(column * n + row)] +
                                          (keep == T(0) ? T(0) : keep * to);
                                 }
                             }
                         });
}

/// C = alpha * op(A) * B: another matrix than B, or B itself.
template <class T>
cublasStatus_t trmm(Served& served, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n, const T* alpha, const T* A, Int lda,
                    const T* B, Int ldb, T* C, Int ldc) {
    Request request(served, handle);
    request.need_side(side);
    request.need_fill(uplo);
    request.need_operation("trans", trans);
    request.need_diagonal(diag);
    request.need_size("m", m);
    request.need_size("n", n);
    const Int order = side == CUBLAS_SIDE_LEFT ? m : n;
    request.need_leading("lda", lda, order, "A");
    request.need_leading("ldb", ldb, m, "B");
    request.need_leading("ldc", ldc, m, "C");
    const auto by = request.scalar("alpha", alpha);
    if (!request.ok() || m == 0 || n == 0) return request.status();
    const std::size_t a = request.matrix("A", A, order, order, lda, Access::read);
    const std::size_t b = request.matrix("B", B, m, n, ldb, Access::read);
    const std::size_t c = request.matrix("C", C, m, n, ldc, Access::written);
    request.work().costs(static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(order), sizeof(T) == 8);
    return request.ask([=](Operands& o) {
        for (Int column = 0; column < n; ++column) std::copy_n(o.at<T>(b) + column * ldb, m, o.at<T>(c) + column * ldc);
        blas<T>().trmm(CblasColMajor, of(side), of(uplo), of(trans), of(diag), size_of(m), size_of(n), by(o),
                       o.at<T>(a), size_of(lda), o.at<T>(c), size_of(ldc));
    });
}

struct Triangle {
    cublasSideMode_t side;
    cublasFillMode_t uplo;
    cublasOperation_t trans;
    cublasDiagType_t diag;
    Int m, n, lda, ldb;

    Int order() const { return side == CUBLAS_SIDE_LEFT ? m : n; }
    void look_at(Request& request) const {
        request.need_side(side);
        request.need_fill(uplo);
        request.need_operation("trans", trans);
        request.need_diagonal(diag);
        request.need_size("m", m);
        request.need_size("n", n);
        request.need_leading("lda", lda, order(), "A");
        request.need_leading("ldb", ldb, m, "B");
    }
    template <class T>
    void solve(T by, const T* a, T* b) const {
        blas<T>().trsm(CblasColMajor, of(side), of(uplo), of(trans), of(diag), size_of(m), size_of(n), by, a,
                       size_of(lda), b, size_of(ldb));
    }
};
template <class T>
cublasStatus_t trsm(Served& served, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n, const T* alpha, const T* A, Int lda,
                    T* B, Int ldb) {
    Request request(served, handle);
    const Triangle triangle{side, uplo, trans, diag, m, n, lda, ldb};
    triangle.look_at(request);
    const auto by = request.scalar("alpha", alpha);
    if (!request.ok() || m == 0 || n == 0) return request.status();
    const std::size_t a = request.matrix("A", A, triangle.order(), triangle.order(), lda, Access::read);
    const std::size_t b = request.matrix("B", B, m, n, ldb, Access::both);
    return request.ask([=](Operands& o) { triangle.solve(by(o), o.at<T>(a), o.at<T>(b)); });
}
template <class T>
cublasStatus_t trsm_batched(Served& served, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                            cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n, const T* alpha,
                            const T* const* A, Int lda, T* const* B, Int ldb, Int batchCount) {
    Request request(served, handle);
    const Triangle triangle{side, uplo, trans, diag, m, n, lda, ldb};
    triangle.look_at(request);
    request.need_size("batchCount", batchCount);
    const auto by = request.scalar("alpha", alpha);
    if (!request.ok() || m == 0 || n == 0 || batchCount == 0) return request.status();
    const std::size_t as = request.vector("A", A, batchCount, 1, Access::read);
    const std::size_t bs = request.vector("B", B, batchCount, 1, Access::read);
    return request.ask([=](Operands& o) {
        for (Int i = 0; i < batchCount; ++i) {
            const Int order = triangle.order();
            const T* a =
                o.find("A", o.at<const T*>(as)[i], {.width = order, .height = order, .pitch = lda}, Access::read);
            T* b = o.find("B", o.at<T*>(bs)[i], {.width = m, .height = n, .pitch = ldb}, Access::both);
            if (!a || !b) return false;
            triangle.solve(by(o), a, b);
        }
        return true;
    });
}

/// C = alpha * op(A) + beta * op(B)
template <class T>
cublasStatus_t geam(Served& served, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m,
                    Int n, const T* alpha, const T* A, Int lda, const T* beta, const T* B, Int ldb, T* C, Int ldc) {
    Request request(served, handle);
    request.need_operation("transa", transa);
    request.need_operation("transb", transb);
    request.need_size("m", m);
    request.need_size("n", n);
    const bool straight_a = transa == CUBLAS_OP_N, straight_b = transb == CUBLAS_OP_N;
    request.need_leading("lda", lda, straight_a ? m : n, "A");
    request.need_leading("ldb", ldb, straight_b ? m : n, "B");
    request.need_leading("ldc", ldc, m, "C");
    const auto by = request.scalar("alpha", alpha), with = request.scalar("beta", beta);
    if (!request.ok() || m == 0 || n == 0) return request.status();
    // A factor of 0 may come with no matrix at all.
    const auto add = [&](std::string_view name, const T* pointer, bool straight, Int leading, bool unused) {
        if (unused) return request.matrix(name, pointer, 0, 0, leading, Access::read);
        return request.matrix(name, pointer, straight ? m : n, straight ? n : m, leading, Access::read);
    };
    const std::size_t a = add("A", A, straight_a, lda, !by.on_device && by.value == T(0));
    const std::size_t b = add("B", B, straight_b, ldb, !with.on_device && with.value == T(0));
    const std::size_t c = request.matrix("C", C, m, n, ldc, Access::written);
    return request.ask([=](Operands& o) {
        const T of_a = by(o), of_b = with(o);
        std::vector<T> sums;
        for (Int column = 0; column < n; ++column)
            for (Int row = 0; row < m; ++row) {
                T sum = 0;
                if (of_a != T(0)) sum += of_a * o.at<T>(a)[straight_a ? column * lda + row : row * lda + column];
                if (of_b != T(0)) sum += of_b * o.at<T>(b)[straight_b ? column * ldb + row : row * ldb + column];
                sums.push_back(sum);
            }
        for (Int column = 0; column < n; ++column) std::copy_n(sums.begin() + column * m, m, o.at<T>(c) + column * ldc);
    });
}

/// C = A * diag(x), or diag(x) * A
template <class T>
cublasStatus_t dgmm(Served& served, cublasHandle_t handle, cublasSideMode_t mode, Int m, Int n, const T* A, Int lda,
                    const T* x, Int incx, T* C, Int ldc) {
    Request request(served, handle);
    request.need_side(mode);
    request.need_size("m", m);
    request.need_size("n", n);
    request.need_leading("lda", lda, m, "A");
    request.need_leading("ldc", ldc, m, "C");
    if (!request.ok() || m == 0 || n == 0) return request.status();
    const Int count = mode == CUBLAS_SIDE_LEFT ? m : n;
    const std::size_t a = request.matrix("A", A, m, n, lda, Access::read);
    const std::size_t diagonal = request.vector("x", x, count, incx == 0 ? 1 : incx, Access::read);
    const std::size_t c = request.matrix("C", C, m, n, ldc, Access::written);
    return request.ask([=](Operands& o) {
        const T* from = o.at<T>(diagonal) + (incx < 0 ? (1 - count) * incx : 0);
        for (Int column = 0; column < n; ++column)
            for (Int row = 0; row < m; ++row)
                o.at<T>(c)[column * ldc + row] =
                    o.at<T>(a)[column * lda + row] * from[(mode == CUBLAS_SIDE_LEFT ? row : column) * incx];
    });
}

}  // namespace cudash::libraries::cublas::bodies
