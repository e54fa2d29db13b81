// ATTACK: takes device memory (2 GB at most)
// STOPS: the front end counts resident memory and page tables; RLIMIT_AS and RLIMIT_DATA
// POINTS: 0
// FAILS: the answer
// SAYS: more than 300 MB of memory
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
    for (int i = 0; i < 32; ++i) {
        char* block = nullptr;
        if (cudaMalloc(&block, 64 << 20) != cudaSuccess) break;
        cudaMemset(block, i, 64 << 20);
    }
    cudaDeviceSynchronize();
    puts("still here");
}
