// Many small systems with more equations than unknowns: the QR factorization by Householder's reflections, as LAPACK's
// geqr2 has it, and what fits best.
#pragma once

#include <cmath>
#include <vector>

#include "runtime_wrappers/libraries/cublas/level1.h"

namespace cudash::libraries::cublas {

template <class T>
T conjugated(T value) {
    if constexpr (is_complex<T>)
        return std::conj(value);
    else
        return value;
}
template <class T>
RealOf<T> real_part(T value) {
    if constexpr (is_complex<T>)
        return value.real();
    else
        return value;
}
template <class T>
RealOf<T> imaginary_part(T value) {
    if constexpr (is_complex<T>)
        return value.imag();
    else
        return 0;
}

/// Makes x = (beta, 0, ..., 0) of n numbers by H^H = 1 - conj(tau) * v * v^H; v, whose first number is 1, takes the
/// place of the zeros. Returns tau.
template <class T>
T reflect(std::int64_t n, T* x) {
    using Real = RealOf<T>;
    Real scale = 0;
    for (std::int64_t i = 1; i < n; ++i) scale = std::max(scale, bodies::magnitude(x[i]));
    const T alpha = x[0];
    if (scale == 0 && imaginary_part(alpha) == 0) return T(0);
    scale = std::max(scale, bodies::magnitude(alpha));
    Real sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const Real re = real_part(x[i]) / scale, im = imaginary_part(x[i]) / scale;
        sum += re * re + im * im;
    }
    const Real beta = -std::copysign(scale * std::sqrt(sum), real_part(alpha));
    for (std::int64_t i = 1; i < n; ++i) x[i] /= alpha - T(beta);
    x[0] = T(beta);
    return (T(beta) - alpha) / T(beta);
}

/// c - conj(tau) * v * (v^H * c) in place of c, with v as reflect() left it: its first number is not looked at.
template <class T>
void apply_reflection(std::int64_t n, const T* v, T tau, T* c) {
    T sum = c[0];
    for (std::int64_t i = 1; i < n; ++i) sum += conjugated(v[i]) * c[i];
    sum *= conjugated(tau);
    c[0] -= sum;
    for (std::int64_t i = 1; i < n; ++i) c[i] -= v[i] * sum;
}

/// A = Q * R in place: R above, the reflections below the diagonal.
template <class T>
void factorize_qr(std::int64_t m, std::int64_t n, T* A, std::int64_t lda, T* tau) {
    for (std::int64_t k = 0; k < std::min(m, n); ++k) {
        T* const v = A + k * lda + k;
        tau[k] = reflect(m - k, v);
        for (std::int64_t column = k + 1; column < n; ++column)
            apply_reflection(m - k, v, tau[k], A + column * lda + k);
    }
}

/// Tells `info` which argument was the first to be refused.
class Blame {
public:
    Blame(const Request& request, int* info) : request_(request), info_(info) {}
    void operator()(int argument) {
        if (request_.ok() || !info_) return;
        *info_ = argument;
        info_ = nullptr;
    }

private:
    const Request& request_;
    int* info_;
};

namespace bodies {

// The numbers of arguments that info is given were recorded on an H100 (tests/hardware/libraries/cublas_qr.cu).

template <class T>
cublasStatus_t geqrf_batched(Served& served, cublasHandle_t handle, Int m, Int n, T* const* Aarray, Int lda,
                             T* const* TauArray, int* info, Int batchSize) {
    Request request(served, handle);
    request.need(info != nullptr, "info is a null pointer");
    Blame blame(request, info);
    request.need_size("m", m), blame(-1);
    request.need_size("n", n), blame(-2);
    request.need_leading("lda", lda, m, "A"), blame(-4);
    request.need_size("batchSize", batchSize), blame(-7);
    if (request.ok()) *info = 0;
    if (!request.ok() || m == 0 || n == 0 || batchSize == 0) return request.status();
    const std::size_t as = request.vector("Aarray", Aarray, batchSize, 1, Access::read);
    const std::size_t taus = request.vector("TauArray", TauArray, batchSize, 1, Access::read);
    return request.ask([=](Operands& o) {
        for (Int i = 0; i < batchSize; ++i) {
            T* a = o.find("A", o.at<T*>(as)[i], {.width = m, .height = n, .pitch = lda}, Access::both);
            T* tau = o.find("Tau", o.at<T*>(taus)[i], {.width = std::min(m, n)}, Access::written);
            if (!a || !tau) return false;
            factorize_qr(m, n, a, lda, tau);
        }
        return true;
    });
}

/// "[...] supports only the non-transpose operation and only solves over-determined systems (m >= n)."
template <class T>
cublasStatus_t gels_batched(Served& served, cublasHandle_t handle, cublasOperation_t trans, Int m, Int n, Int nrhs,
                            T* const* Aarray, Int lda, T* const* Carray, Int ldc, int* info, int* devInfoArray,
                            Int batchSize) {
    Request request(served, handle);
    request.need(info != nullptr, "info is a null pointer");
    Blame blame(request, info);
    request.need_operation("trans", trans);
    request.need_size("m", m);
    request.need_size("n", n);
    request.need_size("nrhs", nrhs), blame(-2);
    request.need_leading("lda", lda, m, "A"), blame(-5);
    request.need_leading("ldc", ldc, m, "C"), blame(-7);
    request.need_size("batchSize", batchSize);
    request.lacks(trans != CUBLAS_OP_N, "trans must be CUBLAS_OP_N"), blame(0);
    request.lacks(m < n, "m is {}, less than n, {}: cuBLAS solves systems with as many equations as unknowns, or more",
                  m, n);
    blame(0);
    if (request.ok()) *info = 0;
    if (!request.ok() || m == 0 || n == 0 || nrhs == 0 || batchSize == 0) return request.status();
    const std::size_t as = request.vector("Aarray", Aarray, batchSize, 1, Access::read);
    const std::size_t cs = request.vector("Carray", Carray, batchSize, 1, Access::read);
    const std::size_t infos =
        request.vector("devInfoArray", devInfoArray, devInfoArray ? batchSize : 0, 1, Access::written);
    return request.ask([=](Operands& o) {
        std::vector<T> tau(static_cast<std::size_t>(n));
        for (Int i = 0; i < batchSize; ++i) {
            T* a = o.find("A", o.at<T*>(as)[i], {.width = m, .height = n, .pitch = lda}, Access::both);
            T* c = o.find("C", o.at<T*>(cs)[i], {.width = m, .height = nrhs, .pitch = ldc}, Access::both);
            if (!a || !c) return false;
            factorize_qr(m, n, a, lda, tau.data());
            int singular = 0;
            for (Int k = n; k-- > 0;)
                if (a[k * lda + k] == T(0)) singular = static_cast<int>(k + 1);
            if (devInfoArray) o.at<int>(infos)[i] = singular;
            if (singular) continue;
            for (Int column = 0; column < nrhs; ++column)
                for (Int k = 0; k < n; ++k)
                    apply_reflection(m - k, a + k * lda + k, tau[static_cast<std::size_t>(k)], c + column * ldc + k);
            blas<T>().trsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, size_of(n), size_of(nrhs),
                           T(1), a, size_of(lda), c, size_of(ldc));
        }
        return true;
    });
}

}  // namespace bodies
}  // namespace cudash::libraries::cublas
