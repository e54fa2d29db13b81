// Dense matrices: factorizations, systems of equations, eigenvalues and singular values.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime_wrappers/libraries/cusolver/handle.h"

namespace cudash::libraries::cusolver::bodies {

/// The elements of a workspace that a program is asked for. None are used.
inline constexpr int some_work = 32;

/// The room that a call asks for, among its arguments the only pointer to an int.
template <class... Arguments>
cusolverStatus_t buffer_size(Served& served, cusolverDnHandle_t handle, Arguments... arguments) {
    Request request(served, handle);
    int* place = nullptr;
    ((place = [&](auto argument) -> int* {
         if constexpr (std::is_same_v<decltype(argument), int*>)
             return argument;
         else
             return place;
     }(arguments)),
     ...);
    request.need_places(place);
    const bool negative = (... || [](auto argument) {
        if constexpr (std::is_same_v<decltype(argument), int>)
            return argument < 0;
        else
            return false;
    }(arguments));
    request.need(!negative, "a size is negative");
    if (request.ok()) *place = some_work;
    return request.status();
}

/// Calls a function of LAPACK that wants work with as much as it asks for.
template <class T, class Call>
void with_work(Call call) {
    T wanted{};
    int ask = -1;
    call(&wanted, &ask);
    int size = std::max(1, static_cast<int>(std::real(wanted)));
    std::vector<T> work(static_cast<std::size_t>(size));
    call(work.data(), &size);
}

/// A function of LAPACK on the triangle of a matrix, in place. `cubes`: its operations, as a multiple of n^3.
template <class T, class Function>
cusolverStatus_t on_triangle(Served& served, cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda,
                             int* info, double cubes, Function function) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_leading("lda", lda, n);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, n, n, lda, Access::both),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(cubes * std::pow(n, 3));
    return request.ask([=](Operands& o) { function(letter_of(uplo), &n, o.at<T>(a), &lda, o.at<int>(status), 1); });
}
template <class T>
cusolverStatus_t potrf(Served& served, cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, T*, int,
                       int* info) {
    return on_triangle(served, handle, uplo, n, A, lda, info, 1.0 / 3,
                       [](auto... arguments) { lapack<T>().potrf(arguments...); });
}
template <class T>
cusolverStatus_t potri(Served& served, cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, T*, int,
                       int* info) {
    return on_triangle(served, handle, uplo, n, A, lda, info, 2.0 / 3,
                       [](auto... arguments) { lapack<T>().potri(arguments...); });
}
template <class T>
cusolverStatus_t potrs(Served& served, cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T* A,
                       int lda, T* B, int ldb, int* info) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need_size("n", n);
    request.need_size("nrhs", nrhs);
    request.need_leading("lda", lda, n);
    request.need_leading("ldb", ldb, n);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, n, n, lda, Access::read),
                      b = request.matrix("B", B, n, nrhs, ldb, Access::both),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(2 * std::pow(n, 2) * nrhs);
    return request.ask([=](Operands& o) {
        lapack<T>().potrs(letter_of(uplo), &n, &nrhs, o.at<T>(a), &lda, o.at<T>(b), &ldb, o.at<int>(status), 1);
    });
}

/// Without exchanging rows; the number of the first pivot that is 0, from 1.
template <class T>
int factorize_in_order(int m, int n, T* a, int lda) {
    int zero = 0;
    const auto at = [&](int row, int column) -> T& {
        return a[static_cast<std::size_t>(column) * static_cast<std::size_t>(lda) + static_cast<std::size_t>(row)];
    };
    for (int k = 0; k < std::min(m, n); ++k) {
        if (at(k, k) == T(0)) {
            if (zero == 0) zero = k + 1;
            continue;
        }
        for (int row = k + 1; row < m; ++row) at(row, k) /= at(k, k);
        for (int column = k + 1; column < n; ++column)
            for (int row = k + 1; row < m; ++row) at(row, column) -= at(row, k) * at(k, column);
    }
    return zero;
}
/// `Pivot`: int, or 64 bits in the newer interface.
template <class T, class Pivot>
cusolverStatus_t getrf(Served& served, cusolverDnHandle_t handle, int m, int n, T* A, int lda, T*, Pivot* pivots,
                       int* info) {
    Request request(served, handle);
    request.need_size("m", m);
    request.need_size("n", n);
    request.need_leading("lda", lda, m);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, m, n, lda, Access::both),
                      status = request.array("devInfo", info, 1, Access::written);
    const bool exchanges = pivots != nullptr;
    const int least = std::min(m, n);
    const std::size_t order = request.array("devIpiv", pivots, exchanges ? least : 0, Access::written);
    request.costs<T>(2.0 * m * n * least / 3);
    return request.ask([=](Operands& o) {
        if (!exchanges) {
            *o.at<int>(status) = factorize_in_order(m, n, o.at<T>(a), lda);
            return;
        }
        std::vector<int> rows(static_cast<std::size_t>(least));
        lapack<T>().getrf(&m, &n, o.at<T>(a), &lda, rows.data(), o.at<int>(status));
        std::ranges::copy(rows, o.at<Pivot>(order));
    });
}
template <class T, class Pivot>
cusolverStatus_t getrs(Served& served, cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T* A,
                       int lda, const Pivot* pivots, T* B, int ldb, int* info) {
    Request request(served, handle);
    request.need_operation(trans);
    request.need_size("n", n);
    request.need_size("nrhs", nrhs);
    request.need_leading("lda", lda, n);
    request.need_leading("ldb", ldb, n);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, n, n, lda, Access::read),
                      b = request.matrix("B", B, n, nrhs, ldb, Access::both),
                      status = request.array("devInfo", info, 1, Access::written);
    const bool exchanged = pivots != nullptr;
    const std::size_t order = request.array("devIpiv", pivots, exchanged ? n : 0, Access::read);
    request.costs<T>(2 * std::pow(n, 2) * nrhs);
    return request.ask([=](Operands& o) {
        std::vector<int> rows(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) {
            const Pivot row = exchanged ? o.at<Pivot>(order)[i] : static_cast<Pivot>(i + 1);
            if (row < 1 || row > n) {
                api::thread_state().explanation.cause =
                    fmt::format("element {} of devIpiv is {}; it must be from 1 to {}", i, row, n);
                return false;
            }
            rows[static_cast<std::size_t>(i)] = static_cast<int>(row);
        }
        lapack<T>().getrs(letter_of<T>(trans), &n, &nrhs, o.at<T>(a), &lda, rows.data(), o.at<T>(b), &ldb,
                          o.at<int>(status), 1);
        return true;
    });
}

template <class T>
cusolverStatus_t geqrf(Served& served, cusolverDnHandle_t handle, int m, int n, T* A, int lda, T* tau, T*, int,
                       int* info) {
    Request request(served, handle);
    request.need_size("m", m);
    request.need_size("n", n);
    request.need_leading("lda", lda, m);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, m, n, lda, Access::both),
                      factors = request.array("TAU", tau, std::min(m, n), Access::written),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(2.0 * m * n * std::min(m, n));
    return request.ask([=](Operands& o) {
        with_work<T>([&](T* work, int* size) {
            lapack<T>().geqrf(&m, &n, o.at<T>(a), &lda, o.at<T>(factors), work, size, o.at<int>(status));
        });
    });
}
template <class T>
cusolverStatus_t orgqr(Served& served, cusolverDnHandle_t handle, int m, int n, int k, T* A, int lda, const T* tau, T*,
                       int, int* info) {
    Request request(served, handle);
    request.need_size("m", m);
    request.need(n >= 0 && n <= m, "n is {}; it must be from 0 to m ({})", n, m);
    request.need(k >= 0 && k <= n, "k is {}; it must be from 0 to n ({})", k, n);
    request.need_leading("lda", lda, m);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, m, n, lda, Access::both),
                      factors = request.array("tau", tau, k, Access::read),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(4.0 * m * n * k);
    return request.ask([=](Operands& o) {
        with_work<T>([&](T* work, int* size) {
            lapack<T>().orgqr(&m, &n, &k, o.at<T>(a), &lda, o.at<T>(factors), work, size, o.at<int>(status));
        });
    });
}
template <class T>
cusolverStatus_t ormqr(Served& served, cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m,
                       int n, int k, const T* A, int lda, const T* tau, T* C, int ldc, T*, int, int* info) {
    Request request(served, handle);
    request.need(side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT, "there is no side {}", static_cast<int>(side));
    request.need_operation(trans);
    request.need_size("m", m);
    request.need_size("n", n);
    const int rows = side == CUBLAS_SIDE_LEFT ? m : n;
    request.need(k >= 0 && k <= rows, "k is {}; it must be from 0 to {}", k, rows);
    request.need_leading("lda", lda, rows);
    request.need_leading("ldc", ldc, m);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, rows, k, lda, Access::read),
                      factors = request.array("tau", tau, k, Access::read),
                      c = request.matrix("C", C, m, n, ldc, Access::both),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(4.0 * m * n * k);
    return request.ask([=](Operands& o) {
        with_work<T>([&](T* work, int* size) {
            lapack<T>().ormqr(side == CUBLAS_SIDE_LEFT ? "L" : "R", letter_of<T>(trans), &m, &n, &k, o.at<T>(a), &lda,
                              o.at<T>(factors), o.at<T>(c), &ldc, work, size, o.at<int>(status), 1, 1);
        });
    });
}

/// Of a symmetric or Hermitian matrix; with B, of the generalized problem.
template <class T>
struct Eigenvalues {
    const char* job;
    const char* uplo;
    int n, lda;
    int type = 0, ldb = 0;  ///< with B

    void compute(T* a, T* b, RealOf<T>* values, int* info) const {
        using Real = RealOf<T>;
        using Size = std::size_t;
        std::vector<Real> more(static_cast<std::size_t>(std::max(1, 3 * n - 2)));
        with_work<T>([&](T* work, int* size) {
            if constexpr (is_complex<T>) {
                using Plain = void (*)(const char*, const char*, const int*, T*, const int*, Real*, T*, const int*,
                                       Real*, int*, Size, Size);
                using General = void (*)(const int*, const char*, const char*, const int*, T*, const int*, T*,
                                         const int*, Real*, T*, const int*, Real*, int*, Size, Size);
                if (b)
                    reinterpret_cast<General>(lapack<T>().sygv)(&type, job, uplo, &n, a, &lda, b, &ldb, values, work,
                                                                size, more.data(), info, 1, 1);
                else
                    reinterpret_cast<Plain>(lapack<T>().syev)(job, uplo, &n, a, &lda, values, work, size, more.data(),
                                                              info, 1, 1);
            } else {
                using Plain = void (*)(const char*, const char*, const int*, T*, const int*, Real*, T*, const int*,
                                       int*, Size, Size);
                using General = void (*)(const int*, const char*, const char*, const int*, T*, const int*, T*,
                                         const int*, Real*, T*, const int*, int*, Size, Size);
                if (b)
                    reinterpret_cast<General>(lapack<T>().sygv)(&type, job, uplo, &n, a, &lda, b, &ldb, values, work,
                                                                size, info, 1, 1);
                else
                    reinterpret_cast<Plain>(lapack<T>().syev)(job, uplo, &n, a, &lda, values, work, size, info, 1, 1);
            }
        });
    }
};
inline const char* letter_of(cusolverEigMode_t mode) {
    return mode == CUSOLVER_EIG_MODE_VECTOR ? "V" : "N";
}
template <class T, class Real>
cusolverStatus_t syevd(Served& served, cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,
                       T* A, int lda, Real* W, T*, int, int* info) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need(jobz == CUSOLVER_EIG_MODE_VECTOR || jobz == CUSOLVER_EIG_MODE_NOVECTOR, "there is no mode {}",
                 static_cast<int>(jobz));
    request.need_size("n", n);
    request.need_leading("lda", lda, n);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, n, n, lda, Access::both),
                      values = request.array("W", W, n, Access::written),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(9 * std::pow(n, 3));
    return request.ask([=](Operands& o) {
        Eigenvalues<T>{letter_of(jobz), cusolver::letter_of(uplo), n, lda}.compute(
            o.at<T>(a), nullptr, o.at<Real>(values), o.at<int>(status));
    });
}
template <class T, class Real>
cusolverStatus_t syevj(Served& served, cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,
                       T* A, int lda, Real* W, T* work, int size, int* info, syevjInfo_t params) {
    if (!find_jacobi(params))
        return refuse(CUSOLVER_STATUS_INVALID_VALUE, "params were not created by cusolverDnCreateSyevjInfo");
    return syevd(served, handle, jobz, uplo, n, A, lda, W, work, size, info);
}
template <class T, class Real>
cusolverStatus_t sygvd(Served& served, cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,
                       cublasFillMode_t uplo, int n, T* A, int lda, T* B, int ldb, Real* W, T*, int, int* info) {
    Request request(served, handle);
    request.need_fill(uplo);
    request.need(itype >= CUSOLVER_EIG_TYPE_1 && itype <= CUSOLVER_EIG_TYPE_3, "there is no type {}",
                 static_cast<int>(itype));
    request.need(jobz == CUSOLVER_EIG_MODE_VECTOR || jobz == CUSOLVER_EIG_MODE_NOVECTOR, "there is no mode {}",
                 static_cast<int>(jobz));
    request.need_size("n", n);
    request.need_leading("lda", lda, n);
    request.need_leading("ldb", ldb, n);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, n, n, lda, Access::both),
                      b = request.matrix("B", B, n, n, ldb, Access::both),
                      values = request.array("W", W, n, Access::written),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(14 * std::pow(n, 3));
    return request.ask([=](Operands& o) {
        Eigenvalues<T>{letter_of(jobz), cusolver::letter_of(uplo), n, lda, itype, ldb}.compute(
            o.at<T>(a), o.at<T>(b), o.at<Real>(values), o.at<int>(status));
    });
}

/// A = U * S * V^H, as LAPACK has it.
template <class T>
void singular_values(const char* jobu, const char* jobv, int m, int n, T* a, int lda, RealOf<T>* s, T* u, int ldu, T* v,
                     int ldv, int* info) {
    using Real = RealOf<T>;
    using Size = std::size_t;
    std::vector<Real> more(static_cast<std::size_t>(std::max(1, 5 * std::min(m, n))));
    with_work<T>([&](T* work, int* size) {
        if constexpr (is_complex<T>) {
            using Call = void (*)(const char*, const char*, const int*, const int*, T*, const int*, Real*, T*,
                                  const int*, T*, const int*, T*, const int*, Real*, int*, Size, Size);
            reinterpret_cast<Call>(lapack<T>().gesvd)(jobu, jobv, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, size,
                                                      more.data(), info, 1, 1);
        } else {
            using Call = void (*)(const char*, const char*, const int*, const int*, T*, const int*, Real*, T*,
                                  const int*, T*, const int*, T*, const int*, int*, Size, Size);
            reinterpret_cast<Call>(lapack<T>().gesvd)(jobu, jobv, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, size,
                                                      info, 1, 1);
        }
    });
}
/// Columns of U (or rows of V^H) that a letter asks for.
inline int count_of(signed char job, int all, int least) {
    return job == 'A' ? all : job == 'S' ? least : 0;
}
template <class T, class Real>
cusolverStatus_t gesvd(Served& served, cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n,
                       T* A, int lda, Real* S, T* U, int ldu, T* VT, int ldvt, T*, int, Real*, int* info) {
    Request request(served, handle);
    const auto is_job = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
    request.need(is_job(jobu) && is_job(jobvt) && !(jobu == 'O' && jobvt == 'O'),
                 "jobu is '{}' and jobvt '{}'; each is A, S, O or N, and one at most O", static_cast<char>(jobu),
                 static_cast<char>(jobvt));
    request.need_size("n", n);
    request.need(m >= n, "the matrix is {} x {}; m must be at least n", m, n);
    request.need_leading("lda", lda, m);
    const int columns = count_of(jobu, m, n), rows = count_of(jobvt, n, n);
    if (columns) request.need_leading("ldu", ldu, m);
    if (rows) request.need_leading("ldvt", ldvt, rows);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, m, n, lda, Access::both),
                      s = request.array("S", S, n, Access::written),
                      u = request.matrix("U", U, m, columns, ldu, Access::written),
                      v = request.matrix("VT", VT, rows ? n : 0, rows, ldvt, Access::written),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(14.0 * m * n * n);
    return request.ask([=](Operands& o) {
        const char letters[] = {static_cast<char>(jobu), static_cast<char>(jobvt)};
        singular_values(letters, letters + 1, m, n, o.at<T>(a), lda, o.at<Real>(s), columns ? o.at<T>(u) : nullptr,
                        std::max(1, ldu), rows ? o.at<T>(v) : nullptr, std::max(1, ldvt), o.at<int>(status));
    });
}
/// Jacobi's form gives V itself, and takes matrices of any shape.
template <class T, class Real>
cusolverStatus_t gesvdj(Served& served, cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, T* A,
                        int lda, Real* S, T* U, int ldu, T* V, int ldv, T*, int, int* info, gesvdjInfo_t params) {
    Request request(served, handle);
    request.need(find_jacobi(params) != nullptr, "params were not created by cusolverDnCreateGesvdjInfo");
    request.need(jobz == CUSOLVER_EIG_MODE_VECTOR || jobz == CUSOLVER_EIG_MODE_NOVECTOR, "there is no mode {}",
                 static_cast<int>(jobz));
    request.need_size("m", m);
    request.need_size("n", n);
    request.need_leading("lda", lda, m);
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    const int least = std::min(m, n), of_u = !vectors ? 0 : econ ? least : m, of_v = !vectors ? 0 : econ ? least : n;
    if (vectors) request.need_leading("ldu", ldu, m);
    if (vectors) request.need_leading("ldv", ldv, n);
    if (!request.ok()) return request.status();
    const std::size_t a = request.matrix("A", A, m, n, lda, Access::both),
                      s = request.array("S", S, least, Access::written),
                      u = request.matrix("U", U, m, of_u, ldu, Access::written),
                      v = request.matrix("V", V, n, of_v, ldv, Access::written),
                      status = request.array("devInfo", info, 1, Access::written);
    request.costs<T>(14.0 * m * n * least);
    return request.ask([=](Operands& o) {
        const char* const job = !vectors ? "N" : econ ? "S" : "A";
        const int rows = std::max(1, of_v);
        std::vector<T> turned(static_cast<std::size_t>(rows) * static_cast<std::size_t>(n));
        singular_values(job, job, m, n, o.at<T>(a), lda, o.at<Real>(s), vectors ? o.at<T>(u) : nullptr,
                        std::max(1, ldu), turned.data(), rows, o.at<int>(status));
        for (int row = 0; row < of_v; ++row)
            for (int column = 0; column < n; ++column)
                o.at<T>(v)[static_cast<std::size_t>(row) * static_cast<std::size_t>(ldv) +
                           static_cast<std::size_t>(column)] =
                    cublas::conjugate(turned[static_cast<std::size_t>(column) * static_cast<std::size_t>(rows) +
                                             static_cast<std::size_t>(row)]);
    });
}

}  // namespace cudash::libraries::cusolver::bodies
