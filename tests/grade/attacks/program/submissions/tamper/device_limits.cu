// ATTACK: asks for limits of the device beyond all memory
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>

int main() {
    for (int limit = 0; limit < 16; ++limit) cudaDeviceSetLimit((cudaLimit)limit, ~0ul >> 1);
    return 1;
}
