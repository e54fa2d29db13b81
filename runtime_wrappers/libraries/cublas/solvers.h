// Many small systems of linear equations: the LU factorization with partial pivoting, and what is solved with it.
#pragma once

#include <vector>

#include "runtime_wrappers/libraries/cublas/level1.h"

namespace cudash::libraries::cublas {

/// A = P * L * U in place. `pivots` counts from 1; nullptr: rows keep their places. Returns 0, or the number of the
/// first zero on the diagonal of U.
template <class T>
int factorize(std::int64_t n, T* A, std::int64_t lda, int* pivots) {
    int info = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t best = k;
        if (pivots) {
            for (std::int64_t row = k + 1; row < n; ++row)
                if (bodies::magnitude(A[k * lda + row]) > bodies::magnitude(A[k * lda + best])) best = row;
            pivots[k] = static_cast<int>(best + 1);
        }
        if (best != k)
            for (std::int64_t column = 0; column < n; ++column) std::swap(A[column * lda + k], A[column * lda + best]);
        const T pivot = A[k * lda + k];
        if (pivot == T(0)) {
            if (info == 0) info = static_cast<int>(k + 1);
            continue;
        }
        for (std::int64_t row = k + 1; row < n; ++row) A[k * lda + row] /= pivot;
        for (std::int64_t column = k + 1; column < n; ++column)
            for (std::int64_t row = k + 1; row < n; ++row)
                A[column * lda + row] -= A[k * lda + row] * A[column * lda + k];
    }
    return info;
}

/// op(A) * X = B in place of B, with the factors of `factorize`.
template <class T>
void solve(cublasOperation_t trans, std::int64_t n, std::int64_t columns, const T* LU, std::int64_t lda,
           const int* pivots, T* B, std::int64_t ldb) {
    const auto interchange = [&](bool forward) {
        for (std::int64_t i = 0; pivots && i < n; ++i) {
            const std::int64_t row = forward ? i : n - 1 - i, other = pivots[row] - 1;
            if (other != row && other >= 0 && other < n)
                for (std::int64_t column = 0; column < columns; ++column)
                    std::swap(B[column * ldb + row], B[column * ldb + other]);
        }
    };
    const auto triangle = [&](CBLAS_UPLO uplo, CBLAS_DIAG diag) {
        blas<T>().trsm(CblasColMajor, CblasLeft, uplo, of(trans), diag, size_of(n), size_of(columns), T(1), LU,
                       size_of(lda), B, size_of(ldb));
    };
    if (trans == CUBLAS_OP_N) {
        interchange(true);
        triangle(CblasLower, CblasUnit);
        triangle(CblasUpper, CblasNonUnit);
    } else {
        triangle(CblasUpper, CblasNonUnit);
        triangle(CblasLower, CblasUnit);
        interchange(false);
    }
}
/// The inverse, from the factors. Returns 0, or the number of the first zero on the diagonal of U.
template <class T>
int invert(std::int64_t n, const T* LU, std::int64_t lda, const int* pivots, T* C, std::int64_t ldc) {
    for (std::int64_t i = 0; i < n; ++i)
        if (LU[i * lda + i] == T(0)) return static_cast<int>(i + 1);
    for (std::int64_t column = 0; column < n; ++column)
        for (std::int64_t row = 0; row < n; ++row) C[column * ldc + row] = T(row == column ? 1 : 0);
    solve(CUBLAS_OP_N, n, n, LU, lda, pivots, C, ldc);
    return 0;
}

namespace bodies {

template <class T>
cublasStatus_t getrf_batched(Served& served, cublasHandle_t handle, Int n, T* const* A, Int lda, int* P, int* info,
                             Int batchSize) {
    Request request(served, handle);
    request.need_size("n", n);
    request.need_leading("lda", lda, n, "A");
    request.need_size("batchSize", batchSize);
    if (!request.ok() || n == 0 || batchSize == 0) return request.status();
    const std::size_t as = request.vector("A", A, batchSize, 1, Access::read);
    const std::size_t pivots = request.vector("P", P, P ? n * batchSize : 0, 1, Access::written);
    const std::size_t infos = request.vector("info", info, batchSize, 1, Access::written);
    return request.ask([=](Operands& o) {
        for (Int i = 0; i < batchSize; ++i) {
            T* a = o.find("A", o.at<T*>(as)[i], {.width = n, .height = n, .pitch = lda}, Access::both);
            if (!a) return false;
            o.at<int>(infos)[i] = factorize(n, a, lda, P ? o.at<int>(pivots) + i * n : nullptr);
        }
        return true;
    });
}
template <class T>
cublasStatus_t getri_batched(Served& served, cublasHandle_t handle, Int n, const T* const* A, Int lda, const int* P,
                             T* const* C, Int ldc, int* info, Int batchSize) {
    Request request(served, handle);
    request.need_size("n", n);
    request.need_leading("lda", lda, n, "A");
    request.need_leading("ldc", ldc, n, "C");
    request.need_size("batchSize", batchSize);
    if (!request.ok() || n == 0 || batchSize == 0) return request.status();
    const std::size_t as = request.vector("A", A, batchSize, 1, Access::read);
    const std::size_t pivots = request.vector("P", P, P ? n * batchSize : 0, 1, Access::read);
    const std::size_t cs = request.vector("C", C, batchSize, 1, Access::read);
    const std::size_t infos = request.vector("info", info, batchSize, 1, Access::written);
    return request.ask([=](Operands& o) {
        for (Int i = 0; i < batchSize; ++i) {
            const T* a = o.find("A", o.at<const T*>(as)[i], {.width = n, .height = n, .pitch = lda}, Access::read);
            T* c = o.find("C", o.at<T*>(cs)[i], {.width = n, .height = n, .pitch = ldc}, Access::written);
            if (!a || !c) return false;
            o.at<int>(infos)[i] = invert(n, a, lda, P ? o.at<const int>(pivots) + i * n : nullptr, c, ldc);
        }
        return true;
    });
}
/// `info` lies in host memory, and tells of arguments alone.
template <class T>
cublasStatus_t getrs_batched(Served& served, cublasHandle_t handle, cublasOperation_t trans, Int n, Int nrhs,
                             const T* const* Aarray, Int lda, const int* devIpiv, T* const* Barray, Int ldb, int* info,
                             Int batchSize) {
    Request request(served, handle);
    request.need_operation("trans", trans);
    request.need_size("n", n);
    request.need_size("nrhs", nrhs);
    request.need_leading("lda", lda, n, "A");
    request.need_leading("ldb", ldb, n, "B");
    request.need_size("batchSize", batchSize);
    request.need(info != nullptr, "info is a null pointer");
    if (request.ok()) *info = 0;
    if (!request.ok() || n == 0 || nrhs == 0 || batchSize == 0) return request.status();
    const std::size_t as = request.vector("Aarray", Aarray, batchSize, 1, Access::read);
    const std::size_t pivots = request.vector("devIpiv", devIpiv, devIpiv ? n * batchSize : 0, 1, Access::read);
    const std::size_t bs = request.vector("Barray", Barray, batchSize, 1, Access::read);
    return request.ask([=](Operands& o) {
        for (Int i = 0; i < batchSize; ++i) {
            const T* a = o.find("A", o.at<const T*>(as)[i], {.width = n, .height = n, .pitch = lda}, Access::read);
            T* b = o.find("B", o.at<T*>(bs)[i], {.width = n, .height = nrhs, .pitch = ldb}, Access::both);
            if (!a || !b) return false;
            solve(trans, n, nrhs, a, lda, devIpiv ? o.at<const int>(pivots) + i * n : nullptr, b, ldb);
        }
        return true;
    });
}
/// "[...] a short cut of cublas<t>getrfBatched plus cublas<t>getriBatched. However it only works if n is less than 32."
template <class T>
cublasStatus_t matinv_batched(Served& served, cublasHandle_t handle, Int n, const T* const* A, Int lda, T* const* Ainv,
                              Int lda_inv, int* info, Int batchSize) {
    Request request(served, handle);
    request.need(n >= 0 && n <= 32, "n is {}; it can be 0 to 32", n);
    request.need_leading("lda", lda, n, "A");
    request.need_leading("lda_inv", lda_inv, n, "Ainv");
    request.need_size("batchSize", batchSize);
    if (!request.ok() || n == 0 || batchSize == 0) return request.status();
    const std::size_t as = request.vector("A", A, batchSize, 1, Access::read);
    const std::size_t cs = request.vector("Ainv", Ainv, batchSize, 1, Access::read);
    const std::size_t infos = request.vector("info", info, batchSize, 1, Access::written);
    return request.ask([=](Operands& o) {
        std::vector<T> factors(static_cast<std::size_t>(n * n));
        std::vector<int> pivots(static_cast<std::size_t>(n));
        for (Int i = 0; i < batchSize; ++i) {
            const T* a = o.find("A", o.at<const T*>(as)[i], {.width = n, .height = n, .pitch = lda}, Access::read);
            T* c = o.find("Ainv", o.at<T*>(cs)[i], {.width = n, .height = n, .pitch = lda_inv}, Access::written);
            if (!a || !c) return false;
            for (Int column = 0; column < n; ++column) std::copy_n(a + column * lda, n, factors.data() + column * n);
            const int singular = factorize(n, factors.data(), n, pivots.data());
            o.at<int>(infos)[i] = singular ? singular : invert(n, factors.data(), n, pivots.data(), c, lda_inv);
        }
        return true;
    });
}

}  // namespace bodies
}  // namespace cudash::libraries::cublas
