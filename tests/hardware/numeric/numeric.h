// What the programs here share: arrays on the device, made-up input, and a line with the hash of an array's bits.
#pragma once

#include <cstdio>
#include <cstring>
#include <vector>

/// A made-up number for a place, the same everywhere.
__host__ __device__ inline unsigned mixed(unsigned place, unsigned seed = 0) {
    unsigned hash = place * 0x9E3779B1u + seed * 0x85EBCA6Bu + 1;
    hash ^= hash >> 15;
    hash *= 0x2C1B3C6Du;
    hash ^= hash >> 12;
    hash *= 0x297A2D39u;
    return hash ^ hash >> 15;
}
/// In [0, 1), a multiple of 2^-24.
__host__ __device__ inline float fraction(unsigned place, unsigned seed = 0) {
    return (mixed(place, seed) >> 8) * (1.0f / 16777216.0f);
}
__device__ inline int thread_of_grid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/// Zeroed memory on the device.
template <class T>
struct Array {
    explicit Array(int count) : size(count) {
        cudaMalloc(&data, count * sizeof(T));
        cudaMemset(data, 0, count * sizeof(T));
    }
    ~Array() { cudaFree(data); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    /// Prints how many values, the hash of all their bits, and the first ones.
    void show(const char* name) const {
        std::vector<T> values(size);
        const cudaError_t error = cudaMemcpy(values.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost);
        unsigned long long hash = 0xCBF29CE484222325ull;
        const unsigned char* bytes = reinterpret_cast<const unsigned char*>(values.data());
        for (size_t i = 0; i < size * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3ull;
        printf("%s: %d values, %016llx,", name, size, hash);
        for (int i = 0; i < 4 && i < size; ++i) {
            unsigned long long bits = 0;
            memcpy(&bits, &values[i], sizeof(T) < 8 ? sizeof(T) : 8);
            printf(" %0*llx", static_cast<int>(2 * (sizeof(T) < 8 ? sizeof(T) : 8)), bits);
        }
        printf("%s%s\n", error == cudaSuccess ? "" : " ", error == cudaSuccess ? "" : cudaGetErrorName(error));
    }

    T* data = nullptr;
    int size;
};
