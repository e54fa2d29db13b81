// Random launches, many of them twice or more on the same memory, between everything else that changes memory. Prints a
// number after each step. Whether launches that would change nothing run or not, the numbers are the same (run).
// Arguments: a seed and a number of steps.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int count = 1 << 13, block = 256, grid = count / block;
__constant__ int factor = 3;
__device__ int offset = 7;
__device__ int bins[64];

__global__ void scale(const int* in, int* out) {
    const int i = blockIdx.x * block + threadIdx.x;
    out[i] = in[i] * factor + offset;
}
__global__ void part(const int* in, int* out) {
    const int i = blockIdx.x * block + threadIdx.x;
    if (in[i] % 3 == 0) out[i] = in[(i * 17) % count];
}
__global__ void in_place(int* p) {
    const int i = blockIdx.x * block + threadIdx.x;
    p[i] = p[i] * 5 + 1;
}
__global__ void sum(const int* in, int* out) {
    __shared__ int s[block];
    const int i = blockIdx.x * block + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    for (int half = block / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, s[0]);
}
__global__ void histogram(const int* in) {
    const int i = blockIdx.x * block + threadIdx.x;
    atomicAdd(&bins[in[i] & 63], 1);
}
__global__ void reads_itself(int* p, int rounds) {
    const int i = blockIdx.x * block + threadIdx.x;
    int value = p[i];
    for (int r = 0; r < rounds; ++r) value = value * 31 + i;
    if (rounds < 0) p[i] = value;  // never: what is read stays as it is
    if (value == 42) p[0] = 1;
}
__global__ void speaks(const int* in, int* out) {
    const int i = blockIdx.x * block + threadIdx.x;
    out[i] = in[i] ^ i;
    if (i == 0) printf("speaks: %d\n", in[0]);
}
__global__ void poke(int* p, int at, int value) {
    p[at] = value;
}

namespace {

std::uint64_t state;
unsigned random_below(unsigned limit) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>(state >> 33) % limit;
}

unsigned hash_of(const int* memory, int values) {
    std::vector<int> host(values);
    cudaMemcpy(host.data(), memory, values * sizeof(int), cudaMemcpyDefault);
    unsigned hash = 0;
    for (const int each : host) hash = hash * 31 + static_cast<unsigned>(each);
    return hash;
}

void change(int* a, int* b) {
    static std::vector<int> host(count);
    const int at = static_cast<int>(random_below(count)), value = static_cast<int>(random_below(1000));
    switch (random_below(9)) {
        case 0:
            cudaMemcpy(a + at, &value, sizeof value, cudaMemcpyDefault);
            break;
        case 1:
            cudaMemset(a, value & 3, count * sizeof(int));
            break;
        case 2:
            cudaMemcpy(a, b, count * sizeof(int), cudaMemcpyDefault);
            break;
        case 3:
            cudaMemcpyToSymbol(factor, &value, sizeof value);
            break;
        case 4:
            cudaMemcpyToSymbol(offset, &value, sizeof value);
            break;
        case 5:
            poke<<<1, 1>>>(a, at, value);
            break;
        case 6:
            cudaMemcpy2D(a, 256, b, 512, 128, 16, cudaMemcpyDefault);
            break;
        case 7:
            for (int i = 0; i < count; ++i) host[i] = i * value;
            cudaMemcpy(a, host.data(), count * sizeof(int), cudaMemcpyDefault);
            break;
        default:
            cudaMemcpy(a, host.data(), count * sizeof(int), cudaMemcpyDefault);
            break;
    }
}

void launch(int* a, int* b, int* few) {
    switch (random_below(8)) {
        case 0:
            scale<<<grid, block>>>(a, b);
            break;
        case 1:
            part<<<grid, block>>>(a, b);
            break;
        case 2:
            in_place<<<grid, block>>>(a);
            break;
        case 3:
            cudaMemset(few, 0, sizeof(int));
            [[fallthrough]];
        case 4:
            sum<<<grid, block>>>(a, few);
            break;
        case 5:
            histogram<<<grid, block>>>(a);
            break;
        case 6:
            reads_itself<<<grid, block>>>(a, 5);
            break;
        default:
            speaks<<<grid, block>>>(a, b);
            break;
    }
}

}  // namespace

int main(int argc, char** argv) {
    state = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
    constexpr int arrays = 5;
    int *memory[arrays], *few;
    for (int i = 0; i < 3; ++i) cudaMalloc(&memory[i], count * sizeof(int));
    cudaMallocManaged(&memory[3], count * sizeof(int));
    cudaMallocHost(&memory[4], count * sizeof(int));
    cudaMalloc(&few, sizeof(int));
    cudaMemset(few, 0, sizeof(int));
    for (int* each : memory) cudaMemset(each, 1, count * sizeof(int));
    for (int step = 0; step < steps; ++step) {
        const unsigned from = random_below(arrays), to = (from + 1 + random_below(arrays - 1)) % arrays;
        // The same state leads to the same kernel in each round.
        const std::uint64_t again = state;
        const unsigned rounds = 1 + random_below(5);
        for (unsigned round = 0; round < rounds; ++round) {
            state = again;
            launch(memory[from], memory[to], few);
            cudaDeviceSynchronize();
            if (round == 2 && step % 3 == 0) change(memory[from], memory[to]);
        }
        state = again + step;
        if (step % 4 == 0) change(memory[from], memory[to]);
        if (step % 7 == 0) {
            cudaFree(few);
            cudaMalloc(&few, sizeof(int));
            cudaMemset(few, 0, sizeof(int));
        }
        if (step % 11 == 0) {
            cudaDeviceSynchronize();
            memory[3][step % count] += 1;
            memory[4][step % count] -= 1;
        }
        std::printf("%d: %08x %08x %d %s\n", step, hash_of(memory[from], count), hash_of(memory[to], count),
                    static_cast<int>(hash_of(few, 1)), cudaGetErrorString(cudaGetLastError()));
    }
    int* where;
    cudaGetSymbolAddress(reinterpret_cast<void**>(&where), bins);
    std::printf("bins: %08x\n", hash_of(where, 64));
    for (int i = 0; i < 3; ++i) cudaFree(memory[i]);
    cudaFree(memory[3]);
    cudaFreeHost(memory[4]);
    cudaFree(few);
}
