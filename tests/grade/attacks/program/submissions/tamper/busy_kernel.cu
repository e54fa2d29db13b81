// ATTACK: never ends, on the device, and is busy
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: ran longer than 5 s
#include <cuda_runtime.h>

__global__ void busy(unsigned* p) {
    for (unsigned i = 1; i != 0; i += 2) atomicAdd(p, i);
}
int main() {
    unsigned* p;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    busy<<<64, 64>>>(p);
    cudaDeviceSynchronize();
}
