// Kernels whose launches need not run again, and such that must. What is expected of each is in
// tests/unit/exec_repeats_test.cpp. The .ptx beside this file is what `nvcc -ptx -arch=compute_75 -lineinfo` makes of it.
#include <cstdio>

constexpr int block = 256;

extern "C" {

__global__ void scale(const int* in, int* out) {
    const int i = blockIdx.x * block + threadIdx.x;
    out[i] = in[i] * 3;
}

__global__ void in_place(int* p) {
    const int i = blockIdx.x * block + threadIdx.x;
    p[i] = p[i] * 2 + 1;
}

__global__ void sum(const int* in, int* out) {
    atomicAdd(out, in[blockIdx.x * block + threadIdx.x]);
}

__global__ void speaks(const int* in, int* out) {
    const int i = blockIdx.x * block + threadIdx.x;
    out[i] = in[i];
    if (i == 0) printf("%d\n", in[0]);
}

__global__ void ticks(long long* out) {
    out[blockIdx.x * block + threadIdx.x] = clock64();
}

}
