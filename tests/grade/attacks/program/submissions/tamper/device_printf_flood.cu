// ATTACK: prints from a million threads
// STOPS: limits on output: 1 MB a cell
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void flood() {
    for (int i = 0; i < 1000; ++i) printf("10 of 10 points, block %d thread %d\n", blockIdx.x, threadIdx.x);
}
int main() {
    for (int i = 0; i < 100; ++i) {
        flood<<<64, 256>>>();
        cudaDeviceSynchronize();
    }
}
