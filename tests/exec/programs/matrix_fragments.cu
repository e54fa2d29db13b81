// Tensor cores through wmma.
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdio>
using namespace nvcuda;
__global__ void k(half* a, half* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
int main() {
    half *a, *b;
    float* c;
    cudaMallocManaged(&a, 512);
    cudaMallocManaged(&b, 512);
    cudaMallocManaged(&c, 1024);
    for (int i = 0; i < 256; ++i) {
        a[i] = __float2half(i % 5);
        b[i] = __float2half(i % 3);
    }
    k<<<1, 32>>>(a, b, c);
    cudaDeviceSynchronize();
    printf("%g %g\n", c[0], c[255]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
