// Level 3 but for gemm (products.h): symmetric and triangular matrices, and what cuBLAS adds.
#pragma once

#include "runtime_wrappers/libraries/cublas/level2.h"

namespace cudash::libraries::cublas::bodies {

using Int = std::int64_t;

/// C = alpha * A * B + beta * C, or with B * A, for a symmetric or Hermitian A.
template <class T, class Multiply>
cublasStatus_t of_symmetric(Served& served, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, Int m,
                            Int n, const T* alpha, const T* A, Int lda, const T* B, Int ldb, const T* beta, T* C,
                            Int ldc, Multiply multiply) {
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
                         of_doubles<T>);
    return request.ask([=](Operands& o) { multiply(by(o), o.at<T>(a), o.at<T>(b), keep(o), o.at<T>(c)); });
}
#define CUDASH_MM(name)                                                                                             \
    template <class T>                                                                                              \
    cublasStatus_t name(Served& served, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, Int m, \
                        Int n, const T* alpha, const T* A, Int lda, const T* B, Int ldb, const T* beta, T* C,       \
                        Int ldc) {                                                                                  \
        return of_symmetric(served, handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc,                  \
                            [=](T by, const T* a, const T* b, T keep, T* c) {                                       \
                                blas<T>().name(CblasColMajor, of(side), of(uplo), size_of(m), size_of(n), by, a,    \
                                               size_of(lda), b, size_of(ldb), keep, c, size_of(ldc));               \
                            });                                                                                     \
    }
CUDASH_MM(symm)
CUDASH_MM(hemm)
#undef CUDASH_MM

/// A triangle C that one or two n*k matrices are multiplied into.
struct RankK {
    cublasFillMode_t uplo;
    cublasOperation_t trans;
    Int n, k, lda, ldb, ldc;

    bool straight() const { return trans == CUBLAS_OP_N; }
    Int rows() const { return straight() ? n : k; }
    Int columns() const { return straight() ? k : n; }
    void look_at(Request& request) const {
        request.need_fill(uplo);
        request.need_operation("trans", trans);
        request.need_size("n", n);
        request.need_size("k", k);
        request.need_leading("lda", lda, rows(), "A");
        request.need_leading("ldc", ldc, n, "C");
    }
    double operations() const { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k); }
};
/// Each function has one other operation than CUBLAS_OP_N; CUBLAS_OP_T and CUBLAS_OP_C both mean it (measured).
inline CBLAS_TRANSPOSE either(cublasOperation_t trans, CBLAS_TRANSPOSE other) {
    return trans == CUBLAS_OP_N ? CblasNoTrans : other;
}
template <class T, class Factor, class Compute>
cublasStatus_t rank_k(Served& served, cublasHandle_t handle, const RankK& of_rank, const Factor* alpha, const T* A,
                      const Factor* beta, T* C, Compute compute) {
    Request request(served, handle);
    of_rank.look_at(request);
    const auto by = request.scalar("alpha", alpha), keep = request.scalar("beta", beta);
    if (!request.ok() || of_rank.n == 0) return request.status();
    const std::size_t a = request.matrix("A", A, of_rank.rows(), of_rank.columns(), of_rank.lda, Access::read);
    const std::size_t c = request.matrix("C", C, of_rank.n, of_rank.n, of_rank.ldc, Access::both);
    request.work().costs(of_rank.operations(), of_doubles<T>);
    return request.ask([=](Operands& o) { compute(by(o), o.at<T>(a), keep(o), o.at<T>(c)); });
}
template <class T>
cublasStatus_t syrk(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n, Int k,
                    const T* alpha, const T* A, Int lda, const T* beta, T* C, Int ldc) {
    return rank_k(served, handle, {uplo, trans, n, k, lda, lda, ldc}, alpha, A, beta, C,
                  [=](T by, const T* a, T keep, T* c) {
                      blas<T>().syrk(CblasColMajor, of(uplo), either(trans, CblasTrans), size_of(n), size_of(k), by, a,
                                     size_of(lda), keep, c, size_of(ldc));
                  });
}
/// C = alpha * A * A^H + beta * C
template <class T>
cublasStatus_t herk(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n, Int k,
                    const RealOf<T>* alpha, const T* A, Int lda, const RealOf<T>* beta, T* C, Int ldc) {
    using Real = RealOf<T>;
    return rank_k(served, handle, {uplo, trans, n, k, lda, lda, ldc}, alpha, A, beta, C,
                  [=](Real by, const T* a, Real keep, T* c) {
                      blas<T>().herk(CblasColMajor, of(uplo), either(trans, CblasConjTrans), size_of(n), size_of(k), by,
                                     a, size_of(lda), keep, c, size_of(ldc));
                  });
}

template <class T, class Keep, class Compute>
cublasStatus_t rank_k_of_two(Served& served, cublasHandle_t handle, const RankK& of_rank, const T* alpha, const T* A,
                             const T* B, const Keep* beta, T* C, Compute compute) {
    Request request(served, handle);
    of_rank.look_at(request);
    request.need_leading("ldb", of_rank.ldb, of_rank.rows(), "B");
    const auto by = request.scalar("alpha", alpha);
    const auto keep = request.scalar("beta", beta);
    if (!request.ok() || of_rank.n == 0) return request.status();
    const std::size_t a = request.matrix("A", A, of_rank.rows(), of_rank.columns(), of_rank.lda, Access::read);
    const std::size_t b = request.matrix("B", B, of_rank.rows(), of_rank.columns(), of_rank.ldb, Access::read);
    const std::size_t c = request.matrix("C", C, of_rank.n, of_rank.n, of_rank.ldc, Access::both);
    request.work().costs(2 * of_rank.operations(), of_doubles<T>);
    return request.ask([=](Operands& o) { compute(by(o), o.at<T>(a), o.at<T>(b), keep(o), o.at<T>(c)); });
}
template <class T>
cublasStatus_t syr2k(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n,
                     Int k, const T* alpha, const T* A, Int lda, const T* B, Int ldb, const T* beta, T* C, Int ldc) {
    return rank_k_of_two(served, handle, {uplo, trans, n, k, lda, ldb, ldc}, alpha, A, B, beta, C,
                         [=](T by, const T* a, const T* b, T keep, T* c) {
                             blas<T>().syr2k(CblasColMajor, of(uplo), either(trans, CblasTrans), size_of(n), size_of(k),
                                             by, a, size_of(lda), b, size_of(ldb), keep, c, size_of(ldc));
                         });
}
template <class T>
cublasStatus_t her2k(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n,
                     Int k, const T* alpha, const T* A, Int lda, const T* B, Int ldb, const RealOf<T>* beta, T* C,
                     Int ldc) {
    return rank_k_of_two(served, handle, {uplo, trans, n, k, lda, ldb, ldc}, alpha, A, B, beta, C,
                         [=](T by, const T* a, const T* b, RealOf<T> keep, T* c) {
                             blas<T>().her2k(CblasColMajor, of(uplo), either(trans, CblasConjTrans), size_of(n),
                                             size_of(k), by, a, size_of(lda), b, size_of(ldb), keep, c, size_of(ldc));
                         });
}
/// "[...] only the triangle of C is computed": a product whose other triangle is thrown away. `other`: the operation of
/// the matrix that is not as it stands.
template <class T, class Keep>
void multiply_into_triangle(const RankK& of_rank, CBLAS_TRANSPOSE other, T by, const T* a, const T* b, Keep keep,
                            T* c) {
    const Int n = of_rank.n;
    std::vector<T> whole(static_cast<std::size_t>(n * n));
    blas<T>().gemm(CblasColMajor, of_rank.straight() ? CblasNoTrans : other, of_rank.straight() ? other : CblasNoTrans,
                   size_of(n), size_of(n), size_of(of_rank.k), by, a, size_of(of_rank.lda), b, size_of(of_rank.ldb),
                   T(0), whole.data(), size_of(n));
    each_of_triangle(of_rank.uplo, n, [&](Int row, Int column) {
        T& to = c[column * of_rank.ldc + row];
        to = whole[static_cast<std::size_t>(column * n + row)] + (keep == Keep(0) ? T(0) : keep * to);
    });
}
template <class T>
cublasStatus_t syrkx(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n,
                     Int k, const T* alpha, const T* A, Int lda, const T* B, Int ldb, const T* beta, T* C, Int ldc) {
    const RankK of_rank{uplo, trans, n, k, lda, ldb, ldc};
    return rank_k_of_two(served, handle, of_rank, alpha, A, B, beta, C,
                         [=](T by, const T* a, const T* b, T keep, T* c) {
                             multiply_into_triangle(of_rank, CblasTrans, by, a, b, keep, c);
                         });
}
/// The diagonal of a Hermitian matrix is real.
template <class T>
cublasStatus_t herkx(Served& served, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, Int n,
                     Int k, const T* alpha, const T* A, Int lda, const T* B, Int ldb, const RealOf<T>* beta, T* C,
                     Int ldc) {
    const RankK of_rank{uplo, trans, n, k, lda, ldb, ldc};
    return rank_k_of_two(served, handle, of_rank, alpha, A, B, beta, C,
                         [=](T by, const T* a, const T* b, RealOf<T> keep, T* c) {
                             multiply_into_triangle(of_rank, CblasConjTrans, by, a, b, keep, c);
                             for (Int i = 0; i < n; ++i) c[i * ldc + i] = c[i * ldc + i].real();
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
    request.work().costs(static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(order), of_doubles<T>);
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
        const auto element = [](cublasOperation_t operation, const T* from, Int leading, Int row, Int column) {
            const T value = operation == CUBLAS_OP_N ? from[column * leading + row] : from[row * leading + column];
            return operation == CUBLAS_OP_C ? conjugate(value) : value;
        };
        std::vector<T> sums;
        for (Int column = 0; column < n; ++column)
            for (Int row = 0; row < m; ++row) {
                T sum = 0;
                if (of_a != T(0)) sum += of_a * element(transa, o.at<T>(a), lda, row, column);
                if (of_b != T(0)) sum += of_b * element(transb, o.at<T>(b), ldb, row, column);
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
