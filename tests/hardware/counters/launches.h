// One list of launches for a real GPU and the virtual one: each program here calls launch() for every row of its list.
//   PROGRAM             makes each launch once and prints its name: for ncu, and for cudash run --report
//   PROGRAM times N     takes the time of each: one launch between two events, and N of them
// Both print in the same order, so that line k of one belongs to launch k of the other.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

inline int rounds = 0;  ///< 0: launches are made once and not timed
inline int failures = 0;

/// Brings the clocks up before times are taken.
static __global__ void turn(float* out, int times) {
    float v = threadIdx.x;
    for (int k = 0; k < times; ++k) v = v * 0.5f + 1.0f;
    out[threadIdx.x] = v;
}

inline void start(int count, char** arguments) {
    if (count > 2 && strcmp(arguments[1], "times") == 0) rounds = atoi(arguments[2]);
    if (rounds > 1) {
        float* out = nullptr;
        cudaMalloc(&out, 1024 * sizeof(float));
        for (int k = 0; k < 300; ++k) turn<<<1056, 256>>>(out, 100000);
        cudaDeviceSynchronize();
        cudaFree(out);
    }
    if (rounds > 0)
        printf("# name, registers, microseconds: median of single launches, least of them, one of a series\n");
}

inline void must(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    printf("%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

/// Memory of `count` values, each of them below `below`.
template <class T>
T* filled(size_t count, unsigned below = 97) {
    std::vector<T> values(count);
    unsigned state = 1;
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        unsigned char bytes[sizeof(T)] = {};
        const unsigned value = (state >> 8) % below;
        for (size_t b = 0; b < sizeof(T); ++b) bytes[b] = (unsigned char)(b < 4 ? value >> 8 * b : 0);
        memcpy(&values[i], bytes, sizeof(T));
    }
    T* made = nullptr;
    must(cudaMalloc(&made, count * sizeof(T)), "cudaMalloc");
    must(cudaMemcpy(made, values.data(), count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return made;
}
template <class T>
T* zeros(size_t count) {
    T* made = nullptr;
    must(cudaMalloc(&made, count * sizeof(T)), "cudaMalloc");
    must(cudaMemset(made, 0, count * sizeof(T)), "cudaMemset");
    return made;
}

/// `make` makes one launch of `kernel`.
template <class Make>
void time_launch(const std::string& name, const void* kernel, Make make) {
    static cudaEvent_t from = nullptr, to = nullptr;
    if (!from) {
        must(cudaEventCreate(&from), "cudaEventCreate");
        must(cudaEventCreate(&to), "cudaEventCreate");
    }
    const int warm = rounds > 1 ? 3 : 1;
    for (int i = 0; i < warm; ++i) make();
    must(cudaDeviceSynchronize(), name.c_str());
    std::vector<float> single;
    for (int i = 0; i < rounds; ++i) {
        cudaEventRecord(from);
        make();
        cudaEventRecord(to);
        must(cudaEventSynchronize(to), name.c_str());
        float ms = 0;
        cudaEventElapsedTime(&ms, from, to);
        single.push_back(ms * 1000);
    }
    std::sort(single.begin(), single.end());
    float series = 0;
    if (rounds > 1) {
        cudaEventRecord(from);
        for (int i = 0; i < rounds; ++i) make();
        cudaEventRecord(to);
        must(cudaEventSynchronize(to), name.c_str());
        cudaEventElapsedTime(&series, from, to);
        series = series * 1000 / rounds;
    }
    cudaFuncAttributes attributes = {};
    cudaFuncGetAttributes(&attributes, kernel);
    printf("%s %d %.2f %.2f %.2f\n", name.c_str(), attributes.numRegs, single[single.size() / 2], single[0], series);
    fflush(stdout);
}

template <class... P, class... A>
void launch(const std::string& name, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, A... arguments) {
    if (shared > 48 * 1024)
        must(cudaFuncSetAttribute((const void*)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared),
             name.c_str());
    auto make = [&] { kernel<<<grid, block, shared>>>(P(arguments)...); };
    if (rounds > 0) {
        time_launch(name, (const void*)kernel, make);
    } else {
        make();
        printf("%s\n", name.c_str());
        fflush(stdout);
    }
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) {
        printf("%s: %s\n", name.c_str(), cudaGetErrorString(status));
        ++failures;
    }
}

inline int finish() {
    must(cudaDeviceSynchronize(), "at the end");
    return failures != 0;
}
