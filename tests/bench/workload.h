// The inputs, expected results and the clock of kernels/bench.cu, for its rivals: plain C++ and OpenCL run the same six
// kernels on the same data and print the same lines.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace workload {

constexpr int vector_size = 1 << 24;
constexpr int product_size = 512;
constexpr int transpose_size = 2048;
constexpr int tile = 16;
constexpr int sum_block = 256;

using Array = std::vector<float>;

/// 0, 1, ... modulus - 1, 0, 1, ...: small integers, so that every sum is exact in float.
inline Array counting(std::size_t elements, int modulus) {
    Array values(elements);
    for (std::size_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i % static_cast<std::size_t>(modulus));
    return values;
}

inline Array expected_sum(const Array& a, const Array& b) {
    Array result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] + b[i];
    return result;
}

inline Array expected_product(const Array& a, const Array& b) {
    constexpr int n = product_size;
    Array result(a.size());
    for (int row = 0; row < n; ++row)
        for (int k = 0; k < n; ++k)
            for (int column = 0; column < n; ++column) result[row * n + column] += a[row * n + k] * b[k * n + column];
    return result;
}

inline Array expected_transpose(const Array& in) {
    constexpr int n = transpose_size;
    Array result(in.size());
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) result[x * n + y] = in[y * n + x];
    return result;
}

inline Array expected_block_sums(const Array& in) {
    Array result(in.size() / sum_block);
    for (std::size_t i = 0; i < in.size(); ++i) result[i / sum_block] += in[i];
    return result;
}

/// Median of five rounds after a warm-up.
template <class Launch>
double median_ms(Launch launch) {
    std::vector<double> times;
    for (int round = 0; round < 6; ++round) {
        const auto start = std::chrono::steady_clock::now();
        launch();
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        if (round > 0) times.push_back(elapsed.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// Prints the line of one kernel.
inline void print_line(const char* name, double ms, std::size_t wrong) {
    std::printf("%-18s %10.3f ms  ", name, ms);
    if (wrong == 0)
        std::printf("ok\n");
    else
        std::printf("%zu wrong\n", wrong);
    std::fflush(stdout);
}

/// The same; true if every element is right.
inline bool report(const char* name, double ms, const Array& result, const Array& expected) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) wrong += result[i] != expected[i];
    print_line(name, ms, wrong);
    return wrong == 0;
}

}  // namespace workload
