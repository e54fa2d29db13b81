// ATTACK: never ends, on the device
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: error[deadlock]
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void forever(volatile int* p) {
    while (*p == 0) {
    }
}
int main() {
    int* p;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    forever<<<64, 64>>>(p);
    cudaDeviceSynchronize();
}
