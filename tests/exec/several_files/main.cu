// Device code of several object files, linked with -rdc=true.
#include <cstdio>
extern __device__ int twice(int);
extern __device__ int base;
static __device__ int offset = 1;
static __global__ void helper(int* p) {
    p[0] += offset;
}
int run_other(int* p);
__global__ void compute(int* p) {
    p[threadIdx.x] = twice(threadIdx.x) + base;
}
int main() {
    int *d, h[32];
    cudaMalloc(&d, sizeof h);
    compute<<<1, 32>>>(d);
    helper<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d ", h[0], h[31]);
    printf("%d\n", run_other(d));
    cudaFree(d);
}
