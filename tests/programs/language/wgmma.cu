// A product of 64 x 64 matrices by a warpgroup: operands in shared memory with rows of 128 bytes, swizzled, in four
// steps along k. For a GPU, build with -gencode arch=compute_90a,code=sm_90a.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

constexpr int size = 64;

__device__ uint64_t descriptor_of(const half* tile) {
    const auto address = static_cast<uint64_t>(__cvta_generic_to_shared(tile));
    const uint64_t stride = 8 * 128;  // from 8 rows to the next
    return (address & 0x3FFFF) >> 4 | uint64_t{1} << 16 | (stride >> 4) << 32 | uint64_t{1} << 62;
}

/// Where element k of a row is: pieces of 16 bytes change places.
__device__ int place_of(int row, int k) {
    return row * size + ((k / 8) ^ (row % 8)) * 8 + k % 8;
}

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b, int adds) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "%32, %33, p, 1, 1, 0, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
          "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "r"(adds));
}

// c = a * b; b is stored by columns.
__global__ void product(const half* a, const half* b, float* c) {
    __shared__ alignas(1024) half tile_a[size * size], tile_b[size * size];
    for (int i = threadIdx.x; i < size * size; i += blockDim.x) {
        tile_a[place_of(i / size, i % size)] = a[i];
        tile_b[place_of(i / size, i % size)] = b[i];
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    float d[32];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    const uint64_t from_a = descriptor_of(tile_a), from_b = descriptor_of(tile_b);
    for (int step = 0; step < 4; ++step) multiply(d, from_a + 2 * step, from_b + 2 * step, step != 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    for (int i = 0; i < 32; ++i) c[(row + i / 2 % 2 * 8) * size + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
}

int main() {
    half *a, *b;
    float* c;
    cudaMallocManaged(&a, size * size * sizeof(half));
    cudaMallocManaged(&b, size * size * sizeof(half));
    cudaMallocManaged(&c, size * size * sizeof(float));
    for (int i = 0; i < size * size; ++i) {
        a[i] = __float2half(static_cast<float>(i * 7 % 11 - 5));
        b[i] = __float2half(static_cast<float>(i * 5 % 13 - 6));
    }
    product<<<1, 128>>>(a, b, c);
    const cudaError_t status = cudaDeviceSynchronize();
    int wrong = status != cudaSuccess;
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
            float sum = 0;
            for (int k = 0; k < size; ++k) sum += __half2float(a[row * size + k]) * __half2float(b[column * size + k]);
            wrong += c[row * size + column] != sum;
        }
    if (wrong) printf("%d elements are wrong (%s)\n", wrong, cudaGetErrorName(status));
    return wrong != 0;
}
