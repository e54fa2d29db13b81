// Timed launches, most of them of kernels that change what they read, so that they run each time: what is counted of a
// launch is used for those that repeat it, where counts do not follow from data. The times must be those that counting
// each of them gives (run). Arguments: a seed and a number of steps.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

constexpr int count = 1 << 15, block = 256, grid = count / block;

__global__ void in_place(int* p, int n) {
    const int i = blockIdx.x * block + threadIdx.x;
    if (i < n) p[i] = p[i] * 5 + 1;
}
__global__ void from_to(const int* in, int* out, int step) {
    const int i = blockIdx.x * block + threadIdx.x;
    out[i] += in[(i * step) % count];
}
__global__ void tree(int* p) {
    __shared__ int s[block];
    const int t = threadIdx.x, i = blockIdx.x * block + t;
    s[t] = p[i];
    __syncthreads();
    for (int half = block / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    p[i] += s[0];
}
// From here on counts follow from data: what is executed, or where memory is accessed.
__global__ void some(int* p) {
    const int i = blockIdx.x * block + threadIdx.x;
    if (p[i] & 1) p[i] = p[i] * 3 + i;
    else p[i] += 7;
}
__global__ void anywhere(int* p) {
    const int i = blockIdx.x * block + threadIdx.x;
    atomicAdd(&p[(unsigned)p[i] % count], 1);
}
__global__ void through_shared(int* p) {
    __shared__ int s[block];
    const int t = threadIdx.x, i = blockIdx.x * block + t;
    s[t] = p[i];
    __syncthreads();
    for (int k = 0; k < (s[t ^ 1] & 7); ++k) p[i] += k;
}
__global__ void by_vote(int* p) {
    const int i = blockIdx.x * block + threadIdx.x;
    if (__any_sync(0xFFFFFFFFu, (p[i] & 31) == 0)) p[i] += 3;
    else p[i] = p[i] * 7 + 1;
}
__device__ int next_of(const int* p, int i) {
    return p[i] % 3;
}
__global__ void by_call(int* p) {
    const int i = blockIdx.x * block + threadIdx.x;
    int (*volatile chosen)(const int*, int) = next_of;
    if (chosen(p, i) == 0) p[i] += i + 1;
    p[i] += 1;
}

static std::uint64_t state;
static unsigned random_below(unsigned limit) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>(state >> 33) % limit;
}

static void launch(int* a, int* b) {
    switch (random_below(8)) {
        case 0:
            in_place<<<grid, block>>>(a, random_below(2) ? count : count / 3);
            break;
        case 1:
            from_to<<<grid, block>>>(a, b, 1 + 16 * random_below(2));
            break;
        case 2:
            tree<<<grid, block>>>(a);
            break;
        case 3:
            some<<<grid, block>>>(a);
            break;
        case 4:
            anywhere<<<grid, block>>>(a);
            break;
        case 5:
            through_shared<<<grid, block>>>(a);
            break;
        case 6:
            by_vote<<<grid, block>>>(a);
            break;
        default:
            by_call<<<grid, block>>>(a);
            break;
    }
}

int main(int argc, char** argv) {
    state = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
    int *a, *b;
    cudaMalloc(&a, count * sizeof(int));
    cudaMalloc(&b, count * sizeof(int));
    cudaMemset(a, 1, count * sizeof(int));
    cudaMemset(b, 2, count * sizeof(int));
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int step = 0; step < steps; ++step) {
        cudaEventRecord(begin);
        launch(a, b);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        std::printf("%d: %.7f ms, %s\n", step, ms, cudaGetErrorString(cudaGetLastError()));
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(a);
    cudaFree(b);
}
