// Stopped in by the debugger: a called function, an inlined one, shared memory, a race in the second kernel.
#include <cstdio>
__device__ __noinline__ int twice(int value) {
    int result = value + value;
    return result;
}
__device__ __forceinline__ int square(int value) {
    int result = value * value;
    return result;
}
__global__ void scale(int* p, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = twice(i);
    __syncthreads();
    if (i < n) p[i] = s[63 - i] + square(i);
}
__global__ void flip(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[63 - threadIdx.x];
}
int main(int count, char** arguments) {
    int* p;
    cudaMallocManaged(&p, 256);
    scale<<<1, 64>>>(p, 64);
    flip<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    printf("%d %s\n", p[0], count > 1 ? arguments[1] : "");
    cudaFree(p);
    return 3;
}
