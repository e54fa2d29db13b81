// cuBLAS: QR factorizations and least squares in batches, against what defines them: R^H * R = A^H * A, and a residue that
// is orthogonal to the columns of A.
#include <cublas_v2.h>
#include <cmath>
#include <complex>
#include "check.h"

template <class T>
struct Functions;
#define FUNCTIONS(type, given, letter)                                  \
    template <>                                                         \
    struct Functions<type> {                                            \
        using Given = given;                                            \
        static constexpr auto geqrf = cublas##letter##geqrfBatched;     \
        static constexpr auto gels = cublas##letter##gelsBatched;       \
    };
FUNCTIONS(float, float, S)
FUNCTIONS(double, double, D)
FUNCTIONS(std::complex<float>, cuComplex, C)
FUNCTIONS(std::complex<double>, cuDoubleComplex, Z)

inline float conjugate(float x) { return x; }
inline double conjugate(double x) { return x; }
template <class Real>
std::complex<Real> conjugate(std::complex<Real> x) { return std::conj(x); }
inline void fill(float& x, int re, int) { x = float(re); }
inline void fill(double& x, int re, int) { x = re; }
template <class Real>
void fill(std::complex<Real>& x, int re, int im) { x = {Real(re), Real(im)}; }

constexpr int count = 3, m = 7, n = 4, columns = 2, lda = 9;

/// A^H * B of two matrices with `rows` rows.
template <class T>
std::vector<T> product(int rows, const T* a, int a_columns, const T* b, int b_columns, int leading) {
    std::vector<T> result;
    for (int j = 0; j < b_columns; ++j)
        for (int i = 0; i < a_columns; ++i) {
            T sum{};
            for (int k = 0; k < rows; ++k) sum += conjugate(a[i * leading + k]) * b[j * leading + k];
            result.push_back(sum);
        }
    return result;
}
template <class T>
double largest(const std::vector<T>& a, const std::vector<T>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, double(std::abs(a[i] - b[i])));
    return worst;
}

template <class T>
struct Batch {
    T *numbers, **each;
    int size;
    explicit Batch(int size_of_one) : size(size_of_one) {
        cudaMallocManaged(&numbers, count * size * sizeof(T));
        cudaMallocManaged(&each, count * sizeof(T*));
        for (int i = 0; i < count; ++i) each[i] = numbers + i * size;
        for (int i = 0; i < count * size; ++i) fill(numbers[i], (i * i * 7 + i * 37 + 11) % 19 - 9, (i * i * 5 + i * 23 + 5) % 17 - 8);
    }
    ~Batch() { cudaFree(numbers), cudaFree(each); }
};

template <class T>
void check(const char* name, double tolerance) {
    using Given = typename Functions<T>::Given;
    const auto given = [](T** each) { return reinterpret_cast<Given**>(each); };
    cublasHandle_t handle;
    cublasCreate(&handle);
    Batch<T> a(lda * n), tau(n), c(lda * columns);
    const std::vector<T> before(a.numbers, a.numbers + count * a.size), right(c.numbers, c.numbers + count * c.size);
    int info = -1, *infos;
    cudaMallocManaged(&infos, count * sizeof(int));
    expect(name, int(Functions<T>::geqrf(handle, m, n, given(a.each), lda, given(tau.each), &info, count)), 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < count; ++i) {
        std::vector<T> r(lda * n);
        for (int column = 0; column < n; ++column)
            for (int row = 0; row <= column; ++row) r[column * lda + row] = a.each[i][column * lda + row];
        const T* original = before.data() + i * a.size;
        const double apart = largest(product(n, r.data(), n, r.data(), n, lda), product(m, original, n, original, n, lda));
        expect("R^H * R is A^H * A", apart < tolerance, true);
    }
    std::copy(before.begin(), before.end(), a.numbers);
    for (int column = 0; column < n; ++column) a.each[1][column * lda] = T(column == 2 ? 0 : 1);
    for (int row = 0; row < m; ++row) a.each[1][2 * lda + row] = T(0);  // a column of zeros: no full rank
    expect("gels", int(Functions<T>::gels(handle, CUBLAS_OP_N, m, n, columns, given(a.each), lda, given(c.each), lda,
                                          &info, infos, count)), 0);
    cudaDeviceSynchronize();
    expect("info", info, 0);
    expect("a matrix without full rank", std::vector<int>(infos, infos + count), {0, 3, 0});
    for (int i = 0; i < count; i += 2) {
        const T* original = before.data() + i * a.size;
        std::vector<T> residue(right.begin() + i * c.size, right.begin() + (i + 1) * c.size);
        for (int column = 0; column < columns; ++column)
            for (int row = 0; row < m; ++row)
                for (int k = 0; k < n; ++k)
                    residue[column * lda + row] -= original[k * lda + row] * c.each[i][column * lda + k];
        const auto across = product(m, original, n, residue.data(), columns, lda);
        expect("the residue is orthogonal", largest(across, std::vector<T>(across.size())) < tolerance, true);
    }
    expect("transposed", int(Functions<T>::gels(handle, CUBLAS_OP_T, m, n, columns, given(a.each), lda, given(c.each), lda,
                                                &info, infos, count)), int(CUBLAS_STATUS_NOT_SUPPORTED));
    expect("more unknowns", int(Functions<T>::gels(handle, CUBLAS_OP_N, n, m, columns, given(a.each), lda, given(c.each),
                                                   lda, &info, infos, count)), int(CUBLAS_STATUS_NOT_SUPPORTED));
    expect("lda", int(Functions<T>::geqrf(handle, m, n, given(a.each), m - 1, given(tau.each), &info, count)),
           int(CUBLAS_STATUS_INVALID_VALUE));
    cudaFree(infos);
    cublasDestroy(handle);
}

int main() {
    check<float>("float", 2e-3);
    check<double>("double", 1e-10);
    check<std::complex<float>>("complex<float>", 4e-3);
    check<std::complex<double>>("complex<double>", 1e-10);
}
