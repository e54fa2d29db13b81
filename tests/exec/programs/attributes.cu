// What a kernel and the device say of themselves.
#include <cstdio>
__global__ void __launch_bounds__(256) k(float* p) {
    extern __shared__ float s[];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[255 - threadIdx.x];
}
int main() {
    cudaDeviceProp d;
    cudaGetDeviceProperties(&d, 0);
    printf("%s %d.%d %d\n", d.name, d.major, d.minor, d.multiProcessorCount);
    int v;
    cudaRuntimeGetVersion(&v);
    printf("%d\n", v);
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, k);
    printf("max %d ptx %d\n", a.maxThreadsPerBlock, a.ptxVersion);
    int b;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, k, 256, 1024);
    printf("%d\n", b);
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    float* p;
    cudaMallocManaged(&p, 1024);
    for (int i = 0; i < 256; ++i) p[i] = i;
    k<<<1, 256, 100000>>>(p);
    cudaDeviceSynchronize();
    printf("%g\n", p[0]);
    cudaFree(p);
}
