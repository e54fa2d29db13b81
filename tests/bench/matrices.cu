// What products of matrices cost: kernels that do nothing else, 64 blocks of one warp. Nanoseconds for one instruction
// and thread of the host, two of which are assumed:
//
//     CUDASH_REPEATS=run ./cudash run --check none tests/bench/matrices.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <chrono>
#include <cstdio>

using namespace nvcuda;

constexpr int blocks = 64, rounds = 4000, threads = 2;

/// `Element`: as stored.
template <int M, int N, int K, class Operand, class Sum, class Element>
__global__ void multiply(Sum* out, const Element* in) {
    wmma::fragment<wmma::matrix_a, M, N, K, Operand, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, M, N, K, Operand, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> c;
    wmma::load_matrix_sync(a, in, 16);
    wmma::load_matrix_sync(b, in, 16);
    wmma::fill_fragment(c, Sum(0));
    for (int round = 0; round < rounds; ++round) wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

__global__ void load(const half* in, float* out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        wmma::load_matrix_sync(a, in + round % 2 * 8, 16);
        sum += float(a.x[0]);
    }
    out[threadIdx.x] = sum;
}

/// Small enough that no sum of .f16 overflows.
template <class Element>
__global__ void fill(Element* to, float scale) {
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) to[i] = Element(float(i % 7 - 3) * scale);
}

template <class Launch>
void time(const char* name, Launch launch) {
    const auto begin = std::chrono::steady_clock::now();
    launch();
    const cudaError_t error = cudaDeviceSynchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    printf("%-32s %8.0f ns  %s\n", name, seconds * 1e9 * threads / (double(blocks) * rounds), cudaGetErrorString(error));
}

template <int M, int N, int K, class Operand, class Sum, class Element>
void product(const char* name, void* in, void* out) {
    fill<<<1, 32>>>(static_cast<Element*>(in), sizeof(Element) == 2 ? 1.0f / 256 : 1.0f);
    cudaDeviceSynchronize();
    time(name, [&] {
        multiply<M, N, K, Operand, Sum><<<blocks, 32>>>(static_cast<Sum*>(out), static_cast<const Element*>(in));
    });
}

int main() {
    void *in, *out;
    cudaMalloc(&in, 1 << 16);
    cudaMalloc(&out, 1 << 16);
    product<16, 16, 16, half, float, half>("mma 16x16x16 .f16 to .f32", in, out);
    product<16, 16, 16, half, half, half>("mma 16x16x16 .f16 to .f16", in, out);
    time("load 16x16 .f16", [&] { load<<<blocks, 32>>>(static_cast<half*>(in), static_cast<float*>(out)); });
    product<16, 16, 16, __nv_bfloat16, float, __nv_bfloat16>("mma 16x16x16 .bf16 to .f32", in, out);
    product<16, 16, 8, wmma::precision::tf32, float, float>("mma 16x16x8 .tf32 to .f32", in, out);
    product<16, 16, 16, signed char, int, signed char>("mma 16x16x16 .s8 to .s32", in, out);
    product<8, 8, 4, double, double, double>("mma 8x8x4 .f64", in, out);
    cudaFree(in);
    cudaFree(out);
}
