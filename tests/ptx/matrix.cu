// Tensor-core instructions, asynchronous copies and mbarriers; expected results in tests/unit/exec_matrix_test.cpp.
// The .ptx is what `nvcc -ptx -arch=compute_90 -lineinfo` makes of this file.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" {

__global__ void wmma_f16(const half* a, const half* b, float* c) {
    __shared__ half tile[16 * 16];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = b[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, tile, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2.0f;
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void wmma_s8(const signed char* a, const signed char* b, int* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, 0);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}

// The fragments of mma.m16n8k16 as the PTX ISA draws them, A through ldmatrix and B through ldmatrix.trans.
__global__ void mma_f16(const half* a, const half* b, float* c) {
    __shared__ __align__(16) half sa[16 * 16], sb[16 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) sa[i] = a[i];
    for (int i = lane; i < 128; i += 32) sb[i] = b[i];
    __syncwarp();
    unsigned ra[4], rb[2];
    unsigned from_a = __cvta_generic_to_shared(&sa[(lane % 16) * 16 + lane / 16 * 8]);
    unsigned from_b = __cvta_generic_to_shared(&sb[(lane % 16) * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(from_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(from_b));
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; ++i) c[(lane / 4 + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

__global__ void copy_async(const int* in, int* out) {
    __shared__ __align__(16) int s[128];
    int t = threadIdx.x;
    unsigned to = __cvta_generic_to_shared(&s[t * 4]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + t * 4));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    for (int k = 0; k < 4; ++k) out[t * 4 + k] = s[(t ^ 1) * 4 + k];
}

// Warp 1 waits for warp 0 at an mbarrier, twice.
__global__ void mbarriers(int* out) {
    __shared__ long long object;
    __shared__ int value;
    unsigned at = __cvta_generic_to_shared(&object);
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at));
    __syncthreads();
    for (unsigned round = 0; round < 2; ++round) {
        if (t < 32) {
            if (t == 0) value = 10 + round;
            __syncwarp();
            asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
        } else {
            unsigned done = 0;
            while (!done)
                asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                             : "=r"(done) : "r"(at), "r"(round) : "memory");
            out[round * 32 + t - 32] = value;
        }
        __syncthreads();
    }
}
}
