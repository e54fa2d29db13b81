// What the programs here share: memory on the device, and a line of values for each case.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef ON_HOST  // for a library that also computes on the host, where no GPU is
#define cudaMalloc(pointer, bytes) (*(pointer) = static_cast<T*>(std::malloc(bytes)))
#define cudaMemcpy(to, from, bytes, kind) std::memcpy(to, from, bytes)
#define cudaFree std::free
#endif

/// An array on the device that begins as `values`.
template <class T>
struct OnDevice {
    T* data = nullptr;
    std::size_t count;
    explicit OnDevice(const std::vector<T>& values) : count(values.size()) {
        cudaMalloc(&data, count * sizeof(T));
        cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~OnDevice() { cudaFree(data); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    std::vector<T> values() const {
        std::vector<T> result(count);
        cudaMemcpy(result.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
        return result;
    }
};

/// Values between -1 and 1 that are the same everywhere.
template <class T>
std::vector<T> numbers(std::size_t count, std::uint32_t seed) {
    std::vector<T> values(count);
    for (auto& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<T>(static_cast<int>(seed >> 16) - 32768) / static_cast<T>(32768);
    }
    return values;
}

/// "value" lines are compared within the library's tolerance.
template <class T>
void show(const char* name, const std::vector<T>& values) {
    std::printf("%s: value", name);
    for (const T value : values) std::printf(sizeof(T) == 8 ? " %.12g" : " %.7g", static_cast<double>(value));
    std::printf("\n");
}
template <class T>
void show(const char* name, const OnDevice<T>& array) {
    show(name, array.values());
}

/// "exact" lines are compared as they are.
inline void show_exact(const char* name, const std::vector<long long>& values) {
    std::printf("%s: exact", name);
    for (const long long value : values) std::printf(" %lld", value);
    std::printf("\n");
}
