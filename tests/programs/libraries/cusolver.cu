// cuSOLVER: factorizations, systems, eigenvalues and singular values of random matrices, against what defines them.
#include <cusolverDn.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include "check.h"

cusolverDnHandle_t handle;
unsigned state = 1;
int below(int limit) {
    state = state * 1664525u + 1013904223u;
    return int(state >> 8) % limit;
}

template <class T>
struct Functions;
#define FUNCTIONS(type, given, real, letter, orgqr_, ormqr_, syevd_, sygvd_, syevj_)                                         \
    template <>                                                                                                              \
    struct Functions<type> {                                                                                                 \
        using Given = given;                                                                                                 \
        using Real = real;                                                                                                   \
        static constexpr auto potrf = cusolverDn##letter##potrf, potri = cusolverDn##letter##potri;                          \
        static constexpr auto potrs = cusolverDn##letter##potrs;                                                             \
        static constexpr auto getrf = cusolverDn##letter##getrf;                                                             \
        static constexpr auto getrs = cusolverDn##letter##getrs;                                                             \
        static constexpr auto geqrf = cusolverDn##letter##geqrf;                                                             \
        static constexpr auto orgqr = cusolverDn##letter##orgqr_;                                                            \
        static constexpr auto ormqr = cusolverDn##letter##ormqr_;                                                            \
        static constexpr auto syevd = cusolverDn##letter##syevd_;                                                            \
        static constexpr auto sygvd = cusolverDn##letter##sygvd_;                                                            \
        static constexpr auto gesvd = cusolverDn##letter##gesvd;                                                             \
        static constexpr auto syevj = cusolverDn##letter##syevj_;                                                            \
        static constexpr auto gesvdj = cusolverDn##letter##gesvdj;                                                           \
    };
FUNCTIONS(float, float, float, S, orgqr, ormqr, syevd, sygvd, syevj)
FUNCTIONS(double, double, double, D, orgqr, ormqr, syevd, sygvd, syevj)
FUNCTIONS(std::complex<float>, cuComplex, float, C, ungqr, unmqr, heevd, hegvd, heevj)
FUNCTIONS(std::complex<double>, cuDoubleComplex, double, Z, ungqr, unmqr, heevd, hegvd, heevj)

void put(float& x, int re, int) { x = float(re) / 8; }
void put(double& x, int re, int) { x = double(re) / 8; }
template <class R>
void put(std::complex<R>& x, int re, int im) { x = {R(re) / 8, R(im) / 8}; }
template <class R>
std::complex<R> conjugate(std::complex<R> x) { return std::conj(x); }
float conjugate(float x) { return x; }
double conjugate(double x) { return x; }

/// Columns one after the other, on the device.
template <class T>
struct Matrix {
    using Given = typename Functions<T>::Given;
    int rows, columns;
    T* d;
    Matrix(int height, int width, bool random = true) : rows(height), columns(width) {
        std::vector<T> values(rows * columns);
        for (T& value : values) put(value, random ? below(17) - 8 : 0, random ? below(17) - 8 : 0);
        d = to_device(values);
    }
    ~Matrix() { cudaFree(d); }
    Given* given() const { return reinterpret_cast<Given*>(d); }
    std::vector<T> values() const { return from_device(d, rows * columns); }
    void set(const std::vector<T>& values) { cudaMemcpy(d, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice); }
};
template <class T>
std::vector<T> times(const std::vector<T>& a, bool turned, const std::vector<T>& b, int rows, int inner, int columns) {
    std::vector<T> result(rows * columns, T(0));
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i)
            for (int k = 0; k < inner; ++k) result[j * rows + i] += (turned ? conjugate(a[i * inner + k]) : a[k * rows + i]) * b[j * inner + k];
    return result;
}
template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
    double worst = a.size() == b.size() ? 0 : 1e9;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) worst = std::max(worst, double(std::abs(a[i] - b[i])));
    return worst;
}
template <class T>
std::vector<T> identity(int n) {
    std::vector<T> values(n * n, T(0));
    for (int i = 0; i < n; ++i) values[i * n + i] = T(1);
    return values;
}

template <class T>
double largest_difference() {
    using F = Functions<T>;
    using Real = typename F::Real;
    double worst = 0;
    const int n = 2 + below(7), m = n + below(4), least = n;
    int *info, *pivots;
    cudaMalloc(&info, sizeof(int)), cudaMalloc(&pivots, n * sizeof(int));
    Matrix<T> work(64, 1);
    Real* w;
    cudaMalloc(&w, n * sizeof(Real));
    const auto see = [&](cusolverStatus_t status, double difference) {
        worst = std::max(worst, status == CUSOLVER_STATUS_SUCCESS && from_device(info, 1)[0] == 0 ? difference : 1e9);
    };
    {  // A * X = B
        Matrix<T> a(n, n), b(n, 2);
        std::vector<T> before = a.values();
        for (int i = 0; i < n; ++i) before[i * n + i] += T(8);
        a.set(before);
        const auto side = b.values();
        F::getrf(handle, n, n, a.given(), n, work.given(), pivots, info);
        see(F::getrs(handle, CUBLAS_OP_N, n, 2, a.given(), n, pivots, b.given(), n, info), 0);
        see(CUSOLVER_STATUS_SUCCESS, apart(times(before, false, b.values(), n, n, 2), side));
        a.set(before), b.set(side);  // without exchanges
        F::getrf(handle, n, n, a.given(), n, work.given(), nullptr, info);
        see(F::getrs(handle, CUBLAS_OP_C, n, 2, a.given(), n, nullptr, b.given(), n, info), 0);
        see(CUSOLVER_STATUS_SUCCESS, apart(times(before, true, b.values(), n, n, 2), side));
    }
    {  // A positive definite matrix: solution, inverse, eigenvalues
        const Matrix<T> half(n, n);
        auto before = times(half.values(), true, half.values(), n, n, n);
        for (int i = 0; i < n; ++i) before[i * n + i] += T(2);
        Matrix<T> a(n, n), b(n, 2), other(n, n);
        a.set(before);
        const auto side = b.values();
        F::potrf(handle, CUBLAS_FILL_MODE_LOWER, n, a.given(), n, work.given(), 64, info);
        see(F::potrs(handle, CUBLAS_FILL_MODE_LOWER, n, 2, a.given(), n, b.given(), n, info), 0);
        see(CUSOLVER_STATUS_SUCCESS, apart(times(before, false, b.values(), n, n, 2), side));
        see(F::potri(handle, CUBLAS_FILL_MODE_LOWER, n, a.given(), n, work.given(), 64, info), 0);
        auto inverse = a.values();
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < j; ++i) inverse[j * n + i] = conjugate(inverse[i * n + j]);
        see(CUSOLVER_STATUS_SUCCESS, apart(times(before, false, inverse, n, n, n), identity<T>(n)));
        const auto eigen = [&] {
            const auto values = from_device(w, n);
            auto left = times(before, false, a.values(), n, n, n), right = a.values();
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) right[j * n + i] *= values[j];
            see(CUSOLVER_STATUS_SUCCESS, apart(left, right));
        };
        a.set(before);
        see(F::syevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, a.given(), n, w, work.given(), 64, info), 0);
        eigen();
        syevjInfo_t parameters;
        cusolverDnCreateSyevjInfo(&parameters);
        a.set(before);
        see(F::syevj(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, a.given(), n, w, work.given(), 64, info, parameters), 0);
        eigen();
        cusolverDnDestroySyevjInfo(parameters);
        a.set(before), other.set(identity<T>(n));
        see(F::sygvd(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, a.given(), n, other.given(), n, w,
                     work.given(), 64, info), 0);
        eigen();
    }
    {  // Q * R and Q^H * Q; Q applied
        Matrix<T> a(m, n), tau(n, 1), c(m, 2);
        const auto before = a.values(), side = c.values();
        F::geqrf(handle, m, n, a.given(), m, tau.given(), work.given(), 64, info);
        auto r = a.values();
        std::vector<T> upper(n * n, T(0));
        for (int j = 0; j < n; ++j)
            for (int i = 0; i <= j; ++i) upper[j * n + i] = r[j * m + i];
        see(F::ormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, m, 2, n, a.given(), m, tau.given(), c.given(), m, work.given(), 64, info), 0);
        see(F::orgqr(handle, m, n, n, a.given(), m, tau.given(), work.given(), 64, info), 0);
        const auto q = a.values();
        see(CUSOLVER_STATUS_SUCCESS, apart(times(q, false, upper, m, n, n), before));
        see(CUSOLVER_STATUS_SUCCESS, apart(times(q, true, q, n, m, n), identity<T>(n)));
        const auto applied = c.values();
        auto first = times(q, true, side, n, m, 2);
        double difference = 0;
        for (int j = 0; j < 2; ++j)
            for (int i = 0; i < n; ++i) difference = std::max(difference, double(std::abs(applied[j * m + i] - first[j * n + i])));
        see(CUSOLVER_STATUS_SUCCESS, difference);
    }
    {  // U * S * V^H
        Matrix<T> a(m, n), u(m, n), v(n, n);
        const auto before = a.values();
        see(F::gesvd(handle, 'S', 'A', m, n, a.given(), m, w, u.given(), m, v.given(), n, work.given(), 64, nullptr, info), 0);
        auto scaled = u.values();
        const auto s = from_device(w, least);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) scaled[j * m + i] *= s[j];
        see(CUSOLVER_STATUS_SUCCESS, apart(times(scaled, false, v.values(), m, n, n), before));
        gesvdjInfo_t parameters;
        cusolverDnCreateGesvdjInfo(&parameters);
        a.set(before);
        see(F::gesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, a.given(), m, w, u.given(), m, v.given(), n, work.given(), 64, info, parameters), 0);
        scaled = u.values();
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) scaled[j * m + i] *= s[j];
        auto turned = v.values();
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < j; ++i) {
                const T kept = conjugate(turned[j * n + i]);
                turned[j * n + i] = conjugate(turned[i * n + j]);
                turned[i * n + j] = kept;
            }
        for (int j = 0; j < n; ++j) turned[j * n + j] = conjugate(turned[j * n + j]);
        see(CUSOLVER_STATUS_SUCCESS, apart(times(scaled, false, turned, m, n, n), before));
        cusolverDnDestroyGesvdjInfo(parameters);
    }
    cudaFree(info), cudaFree(pivots), cudaFree(w);
    return worst;
}

template <class T>
constexpr cudaDataType type_of = CUDA_R_64F;
template <>
constexpr cudaDataType type_of<std::complex<float>> = CUDA_C_32F;
/// The same by the newer interface.
template <class T>
double newer(cudaDataType real_type) {
    using Real = typename Functions<T>::Real;
    const int n = 5;
    const cudaDataType type = type_of<T>;
    cusolverDnParams_t parameters;
    cusolverDnCreateParams(&parameters);
    int* info;
    int64_t* pivots;
    Real* w;
    cudaMalloc(&info, sizeof(int)), cudaMalloc(&pivots, n * sizeof(int64_t)), cudaMalloc(&w, n * sizeof(Real));
    double worst = 0;
    const auto see = [&](cusolverStatus_t status, double difference) {
        worst = std::max(worst, status == CUSOLVER_STATUS_SUCCESS && from_device(info, 1)[0] == 0 ? difference : 1e9);
    };
    Matrix<T> a(n, n), b(n, 2), u(n, n), v(n, n), tau(n, 1);
    auto before = a.values();
    for (int i = 0; i < n; ++i) before[i * n + i] += T(8);
    a.set(before);
    const auto side = b.values();
    size_t room = 0, of_host = 0;
    if (cusolverDnXgetrf_bufferSize(handle, parameters, n, n, type, a.d, n, type, &room, &of_host) != CUSOLVER_STATUS_SUCCESS) return 1e9;
    void* work;
    cudaMalloc(&work, room);
    std::vector<char> host(of_host);
    see(cusolverDnXgetrf(handle, parameters, n, n, type, a.d, n, pivots, type, work, room, host.data(), of_host, info), 0);
    see(cusolverDnXgetrs(handle, parameters, CUBLAS_OP_N, n, 2, type, a.d, n, pivots, type, b.d, n, info), 0);
    see(CUSOLVER_STATUS_SUCCESS, apart(times(before, false, b.values(), n, n, 2), side));
    a.set(before);
    see(cusolverDnXgesvd(handle, parameters, 'A', 'A', n, n, type, a.d, n, real_type, w, type, u.d, n, type, v.d, n, type, work, room,
                         host.data(), of_host, info), 0);
    auto scaled = u.values();
    const auto s = from_device(w, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) scaled[j * n + i] *= s[j];
    see(CUSOLVER_STATUS_SUCCESS, apart(times(scaled, false, v.values(), n, n, n), before));
    auto definite = times(before, true, before, n, n, n);
    a.set(definite);
    see(cusolverDnXsyevd(handle, parameters, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, type, a.d, n, real_type, w, type, work,
                         room, host.data(), of_host, info), 0);
    const auto values = from_device(w, n);
    auto right = a.values();
    const auto left = times(definite, false, right, n, n, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) right[j * n + i] *= values[j];
    see(CUSOLVER_STATUS_SUCCESS, apart(left, right) / 100);
    a.set(definite), b.set(side);
    see(cusolverDnXpotrf(handle, parameters, CUBLAS_FILL_MODE_LOWER, n, type, a.d, n, type, work, room, host.data(), of_host, info), 0);
    see(cusolverDnXpotrs(handle, parameters, CUBLAS_FILL_MODE_LOWER, n, 2, type, a.d, n, type, b.d, n, info), 0);
    see(CUSOLVER_STATUS_SUCCESS, apart(times(definite, false, b.values(), n, n, 2), side));
    see(cusolverDnXgeqrf(handle, parameters, n, n, type, a.d, n, type, tau.d, type, work, room, host.data(), of_host, info), 0);
    cusolverDnDestroyParams(parameters);
    cudaFree(info), cudaFree(pivots), cudaFree(w), cudaFree(work);
    return worst;
}

int main() {
    if (cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS) return 1;
    double singles = 0, doubles = 0;
    for (int i = 0; i < 12; ++i) {
        singles = std::max({singles, largest_difference<float>(), largest_difference<std::complex<float>>()});
        doubles = std::max({doubles, largest_difference<double>(), largest_difference<std::complex<double>>()});
    }
    doubles = std::max(doubles, newer<double>(CUDA_R_64F));
    singles = std::max(singles, newer<std::complex<float>>(CUDA_R_32F));
    std::printf("%g %g\n", singles, doubles);
    expect("single precision", singles < 2e-3, true);
    expect("double precision", doubles < 1e-11, true);
    cusolverDnDestroy(handle);
}
