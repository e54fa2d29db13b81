// Half precision.
#include <cuda_fp16.h>
#include <cstdio>
__global__ void k(half2* a) {
    a[threadIdx.x] = __hfma2(a[threadIdx.x], a[threadIdx.x], __float2half2_rn(1));
}
int main() {
    half2* a;
    cudaMallocManaged(&a, 32 * 4);
    for (int i = 0; i < 32; ++i) a[i] = __floats2half2_rn(i, 2 * i);
    k<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    printf("%g %g\n", __low2float(a[3]), __high2float(a[3]));
    cudaFree(a);
}
