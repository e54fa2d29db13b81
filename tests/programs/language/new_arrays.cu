// new T[n] and delete[] in kernels: nvcc keeps n in the 8 bytes before the elements if T has a constructor or
// destructor.
#include <cuda_runtime.h>
#include <cstdio>

__managed__ int made[32], destroyed;

struct Built {
    int value = 9;
};
struct Counted {
    int value;
    __device__ Counted() : value(3) {}
    __device__ ~Counted() { atomicAdd(&destroyed, 1); }
};
struct alignas(16) Wide {
    double value[2] = {1, 2};
};

template <class T>
__global__ void build(int n) {
    T* all = new T[n];
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += *reinterpret_cast<const char*>(&all[i].value);
    made[threadIdx.x] = sum;
    delete[] all;
}
__device__ Counted* kept;
__global__ void keep() {
    kept = new Counted[4];
}
__global__ void give_back() {
    delete[] kept;
}

int main() {
    int failures = 0;
    const auto expect = [&](const char* what, int value, int expected) {
        if (value == expected) return;
        printf("%s: %d, not %d\n", what, value, expected);
        ++failures;
    };
    build<Built><<<1, 32>>>(5);
    expect("launch", cudaDeviceSynchronize(), cudaSuccess);
    for (int each : made) expect("Built", each, 45);
    build<Counted><<<1, 32>>>(6);
    expect("launch", cudaDeviceSynchronize(), cudaSuccess);
    for (int each : made) expect("Counted", each, 18);
    expect("destroyed", destroyed, 6 * 32);
    build<Wide><<<1, 1>>>(3);
    expect("launch", cudaDeviceSynchronize(), cudaSuccess);
    keep<<<1, 1>>>();
    give_back<<<1, 1>>>();
    expect("launch", cudaDeviceSynchronize(), cudaSuccess);
    expect("destroyed in another launch", destroyed, 6 * 32 + 4);
    return failures;
}
