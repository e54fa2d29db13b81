// OpenMP threads, each with a stream of its own.
#include <omp.h>
#include <cstdio>
__global__ void k(int* p, int v) {
    p[threadIdx.x] += v;
}
int main() {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(4)
    for (int t = 0; t < 4; ++t) {
        int* p;
        cudaStream_t s;
        cudaStreamCreate(&s);
        cudaMalloc(&p, 128);
        cudaMemsetAsync(p, 0, 128, s);
        k<<<1, 32, 0, s>>>(p, t);
        int h[32];
        cudaMemcpyAsync(h, p, 128, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        sum += h[5];
        cudaFree(p);
        cudaStreamDestroy(s);
    }
    printf("%d\n", sum);
}
