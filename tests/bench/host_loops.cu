// Loops of host code, for tests/bench/host_loops: each prints its name, the least time of several rounds in
// milliseconds, and its result.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

template <class Loop>
void measure(const char* name, Loop loop) {
    double least = 1e9;
    volatile double result = 0;  // else a compiler leaves out rounds whose result nobody reads
    for (int round = 0; round < 7; ++round) {
        const auto start = std::chrono::steady_clock::now();
        result = loop();
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
        least = std::min(least, taken.count());
    }
    printf("%s %.3f %.9g\n", name, least, double(result));
}

int main() {
    const int n = 1 << 24, side = 256;
    std::vector<float> x(n), y(n), z(n);
    for (int i = 0; i < n; ++i) x[i] = i % 17, y[i] = i % 5;
    measure("axpy", [&] {
        for (int i = 0; i < n; ++i) z[i] = 2.0f * x[i] + y[i];
        return double(z[n / 3]);
    });
    float changes = 0;
    measure("sum", [&] {
        x[0] = changes++;
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += x[i];
        return sum;
    });
    measure("histogram", [&] {
        int bins[64] = {};
        unsigned state = 1;
        for (int i = 0; i < n; ++i) {
            state = state * 1664525u + 1013904223u;
            ++bins[state >> 26];
        }
        return double(bins[3]);
    });
    measure("matrix_product", [&] {
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j) {
                float sum = 0;
                for (int k = 0; k < side; ++k) sum += x[i * side + k] * y[k * side + j];
                z[i * side + j] = sum;
            }
        return double(z[7 * side + 5]);
    });
}
