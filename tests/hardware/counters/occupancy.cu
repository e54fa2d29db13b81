// What cudaOccupancyMaxActiveBlocksPerMultiprocessor says for kernels of many register counts, threads and amounts of
// shared memory. A line: registers, static and dynamic shared bytes, preferred carve-out; then blocks for each number
// of threads in the first line. After them what cudaOccupancyAvailableDynamicSMemPerBlock says, and how much dynamic
// shared memory a kernel may ask for. It computes only: no kernel runs.
#include <stdio.h>

#include <string>

template <int Registers, int Static>
__global__ void __maxnreg__(Registers) kernel(const float* in, float* out) {
    __shared__ char own[Static > 0 ? Static : 1];
    if constexpr (Static > 0) {
        own[threadIdx.x % Static] = (char)threadIdx.x;
        __syncthreads();
    }
    // More values at once than there are registers.
    float v[256];
#pragma unroll
    for (int i = 0; i < 256; ++i) v[i] = in[i * blockDim.x + threadIdx.x];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 256; ++i) sum = sum * v[i] + v[(i * 7 + 3) % 256];
    out[threadIdx.x] = sum;
    if constexpr (Static > 0) out[threadIdx.x] += own[(threadIdx.x + 1) % Static];
}

const int threads[] = {1,   32,  33,  64,  96,  128, 160, 192, 224, 256, 288, 320, 384, 416,
                       448, 512, 544, 576, 640, 672, 704, 768, 800, 832, 896, 960, 992, 1024};
const int dynamic[] = {0,     1,     1000,  1024,  3000,   5120,   8192,   12000,  16384,  20000,
                       32768, 49152, 65536, 76000, 100000, 115000, 116736, 150000, 200000, 232448};

template <int Registers, int Static>
void ask(int carveout) {
    auto* function = kernel<Registers, Static>;
    cudaFuncAttributes attributes = {};
    if (cudaFuncGetAttributes(&attributes, (const void*)function) != cudaSuccess) printf("no attributes\n");
    cudaFuncSetAttribute((const void*)function, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
    cudaFuncSetAttribute((const void*)function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         232448 - (int)attributes.sharedSizeBytes);
    for (int bytes : dynamic) {
        printf("%d %d %d %d:", attributes.numRegs, (int)attributes.sharedSizeBytes, bytes, carveout);
        for (int count : threads) {
            int blocks = -1;
            const cudaError_t status =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)function, count, bytes);
            if (status == cudaSuccess)
                printf(" %d", blocks);
            else
                printf(" %s", cudaGetErrorName(status));
        }
        printf("\n");
        if (carveout >= 0 && bytes > 32768) break;
    }
    cudaGetLastError();
}

/// A line: static shared bytes, blocks, preferred carve-out; then for blocks of 32, 256 and 1000 threads the bytes that
/// are said to be available, and how many blocks are resident with as many.
template <int Static>
void ask_room(int carveout) {
    const auto* function = (const void*)kernel<32, Static>;
    cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
    for (int blocks : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 31, 32}) {
        printf("room %d %d %d:", Static, blocks, carveout);
        for (int count : {32, 256, 1000}) {
            size_t room = 0;
            int resident = -1;
            const cudaError_t status = cudaOccupancyAvailableDynamicSMemPerBlock(&room, function, blocks, count);
            if (status == cudaSuccess) cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function, count, room);
            if (status == cudaSuccess)
                printf(" %zu/%d", room, resident);
            else
                printf(" %s", cudaGetErrorName(status));
        }
        printf("\n");
    }
    cudaGetLastError();
}

template <int Static>
void ask_limits() {
    const auto* function = (const void*)kernel<32, Static>;
    cudaFuncAttributes attributes = {};
    cudaFuncGetAttributes(&attributes, function);
    printf("limits %d: %d %d", Static, (int)attributes.sharedSizeBytes, attributes.maxDynamicSharedSizeBytes);
    // What is refused, from all that a block may have on.
    for (int less : {0, 1, Static - 1, Static, Static + 11, Static + 12, Static + 16}) {
        const int bytes = 232448 - less;
        printf(" %d", cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    }
    cudaGetLastError();
    cudaFuncGetAttributes(&attributes, function);
    printf(" %d\n", attributes.maxDynamicSharedSizeBytes);
}

int main() {
    printf("threads:");
    for (int count : threads) printf(" %d", count);
    printf("\n");
    ask<24, 0>(-1);
    ask<32, 0>(-1);
    ask<40, 0>(-1);
    ask<48, 0>(-1);
    ask<56, 0>(-1);
    ask<64, 0>(-1);
    ask<72, 0>(-1);
    ask<80, 0>(-1);
    ask<96, 0>(-1);
    ask<104, 0>(-1);
    ask<128, 0>(-1);
    ask<144, 0>(-1);
    ask<168, 0>(-1);
    ask<200, 0>(-1);
    ask<255, 0>(-1);
    ask<32, 100>(-1);
    ask<32, 4096>(-1);
    ask<48, 20000>(-1);
    ask<64, 48000>(-1);
    for (int carveout : {0, 10, 25, 50, 75, 100}) ask<32, 0>(carveout);
    for (int carveout : {0, 25, 100}) ask<32, 4096>(carveout);
    for (int carveout : {-1, 0, 25, 50, 100}) ask_room<0>(carveout);
    for (int carveout : {-1, 0, 25}) ask_room<4>(carveout);
    for (int carveout : {-1, 25}) ask_room<1200>(carveout);
    ask_limits<4>();
    ask_limits<100>();
    ask_limits<1200>();
    for (int carveout : {-1, 50}) ask_room<4>(carveout);
    for (int carveout : {-1, 0, 50}) ask_room<1200>(carveout);
}
