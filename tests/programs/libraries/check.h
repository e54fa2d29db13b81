// What the programs of this folder share: each compares with a computation on the host.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the program with exit code 1 and both values where they differ.
template <class T>
void expect(const char* what, const std::vector<T>& actual, const std::vector<T>& wanted) {
    if (actual.size() != wanted.size()) {
        std::printf("%s: %zu elements instead of %zu\n", what, actual.size(), wanted.size());
        std::exit(1);
    }
    for (std::size_t i = 0; i < actual.size(); ++i)
        if (!(actual[i] == wanted[i])) {
            std::printf("%s[%zu]: %g instead of %g\n", what, i, double(actual[i]), double(wanted[i]));
            std::exit(1);
        }
    std::printf("%s: ok\n", what);
}

template <class T>
void expect(const char* what, T actual, T wanted) {
    expect(what, std::vector<T>{actual}, std::vector<T>{wanted});
}

/// The same numbers in each run, without a pattern.
inline std::vector<int> numbers(int count, int below) {
    std::vector<int> list(count);
    unsigned state = 12345;
    for (int& each : list) {
        state = state * 1664525u + 1013904223u;
        each = int(state >> 8) % below;
    }
    return list;
}

/// A copy of `list` on the device.
template <class T>
T* to_device(const std::vector<T>& list) {
    T* d = nullptr;
    cudaMalloc(&d, list.size() * sizeof(T));
    cudaMemcpy(d, list.data(), list.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

template <class T>
std::vector<T> from_device(const T* d, std::size_t count) {
    std::vector<T> list(count);
    if (const cudaError_t failure = cudaMemcpy(list.data(), d, count * sizeof(T), cudaMemcpyDeviceToHost)) {
        std::printf("%s\n", cudaGetErrorString(failure));
        std::exit(1);
    }
    return list;
}
