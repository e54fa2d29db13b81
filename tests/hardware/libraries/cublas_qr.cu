// QR factorizations and least squares of cuBLAS in batches: one line for each case.
#include <cublas_v2.h>

#include "cases.h"

cublasHandle_t handle;

template <class T>
struct Functions;
#define FUNCTIONS(type, part, letter)                               \
    template <>                                                     \
    struct Functions<type> {                                        \
        using Part = part;                                          \
        static constexpr const char* name = #letter;                \
        static constexpr auto geqrf = cublas##letter##geqrfBatched; \
        static constexpr auto gels = cublas##letter##gelsBatched;   \
    };
FUNCTIONS(float, float, S)
FUNCTIONS(double, double, D)
FUNCTIONS(cuComplex, float, C)
FUNCTIONS(cuDoubleComplex, double, Z)

/// Matrices of one batch, one after the other, and their addresses on the device.
template <class T>
struct Batch {
    using Part = typename Functions<T>::Part;
    static constexpr std::size_t parts = sizeof(T) / sizeof(Part);
    OnDevice<Part> numbers_of;
    OnDevice<T*> each;
    Batch(int count, int size, std::uint32_t seed) : numbers_of(numbers<Part>(count * size * parts, seed)), each(addresses(count, size)) {}
    std::vector<T*> addresses(int count, int size) const {
        std::vector<T*> list;
        for (int i = 0; i < count; ++i) list.push_back(reinterpret_cast<T*>(numbers_of.data) + i * size);
        return list;
    }
};

template <class T>
void cases() {
    using F = Functions<T>;
    const auto named = [](const char* of) {
        static char text[64];
        std::snprintf(text, sizeof text, "%s%s", F::name, of);
        return text;
    };
    const int sizes[][2] = {{4, 4}, {7, 3}, {3, 7}, {40, 12}};
    for (const auto& [m, n] : sizes) {
        const int count = 2, lda = m + 1, least = m < n ? m : n;
        const Batch<T> a(count, lda * n, 3 + m), tau(count, least, 5);
        int info = 99;
        const int status = F::geqrf(handle, m, n, a.each.data, lda, tau.each.data, &info, count);
        char of[64];
        std::snprintf(of, sizeof of, "geqrf of %d x %d", m, n);
        show(named(of), a.numbers_of);
        std::snprintf(of, sizeof of, "geqrf of %d x %d, factors", m, n);
        show(named(of), tau.numbers_of);
        std::snprintf(of, sizeof of, "geqrf of %d x %d, statuses", m, n);
        show_exact(named(of), {status, info});
        if (m < n) continue;
        const Batch<T> left(count, lda * n, 7 + m), right(count, lda * 2, 11);
        OnDevice<int> infos(std::vector<int>(count, 99));
        const int solved = F::gels(handle, CUBLAS_OP_N, m, n, 2, left.each.data, lda, right.each.data, lda, &info, infos.data, count);
        std::snprintf(of, sizeof of, "gels of %d x %d", m, n);
        show(named(of), right.numbers_of);
        std::snprintf(of, sizeof of, "gels of %d x %d, statuses", m, n);
        const auto each = infos.values();
        show_exact(named(of), {solved, info, each[0], each[1]});
    }
    // A column of zeros: the factorization is there, the solution is not.
    std::vector<typename F::Part> zeros(Batch<T>::parts * 3 * 2, 0);
    zeros[0] = 1;
    const OnDevice<typename F::Part> singular(zeros), side(numbers<typename F::Part>(Batch<T>::parts * 3, 1));
    const OnDevice<T*> a(std::vector<T*>{reinterpret_cast<T*>(singular.data)}), b(std::vector<T*>{reinterpret_cast<T*>(side.data)});
    OnDevice<int> infos(std::vector<int>{99});
    int info = 99;
    const int status = F::gels(handle, CUBLAS_OP_N, 3, 2, 1, a.data, 3, b.data, 3, &info, infos.data, 1);
    show_exact(named("gels of a singular matrix"), {status, info, infos.values()[0]});
}

void misuse() {
    const Batch<float> a(1, 16, 1), tau(1, 4, 1);
    std::vector<long long> statuses;
    int info = 99;
    const auto ask = [&](int m, int n, int lda, int count) {
        info = 99;
        statuses.push_back(cublasSgeqrfBatched(handle, m, n, a.each.data, lda, tau.each.data, &info, count));
        statuses.push_back(info);
    };
    ask(-1, 4, 4, 1);
    ask(4, -1, 4, 1);
    ask(4, 4, 3, 1);
    ask(4, 4, 4, -1);
    ask(0, 4, 4, 1);
    ask(4, 4, 4, 0);
    show_exact("Sgeqrf statuses", statuses);
    statuses.clear();
    const auto solve = [&](cublasOperation_t trans, int m, int n, int count, int lda, int ldc) {
        info = 99;
        statuses.push_back(cublasSgelsBatched(handle, trans, m, n, count, a.each.data, lda, a.each.data, ldc, &info, nullptr, 1));
        statuses.push_back(info);
    };
    solve(CUBLAS_OP_T, 4, 4, 1, 4, 4);
    solve(CUBLAS_OP_N, 2, 4, 1, 4, 4);
    solve(CUBLAS_OP_N, 4, 4, -1, 4, 4);
    solve(CUBLAS_OP_N, 4, 4, 1, 3, 4);
    solve(CUBLAS_OP_N, 4, 4, 1, 4, 3);
    show_exact("Sgels statuses", statuses);
}

int main() {
    cublasCreate(&handle);
    cases<float>();
    cases<double>();
    cases<cuComplex>();
    cases<cuDoubleComplex>();
    misuse();
    cublasDestroy(handle);
}
