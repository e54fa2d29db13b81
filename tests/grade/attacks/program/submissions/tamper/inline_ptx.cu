// ATTACK: does in PTX what C++ does not let it
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
// SAYS: oob-read
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void wild(unsigned long long address) {
    unsigned value = 0;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(address));
    printf("LEAK %u\n", value);
    asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(0));
    asm volatile("trap;");
}
int main() {
    wild<<<1, 1>>>((unsigned long long)(void*)&main);
    cudaDeviceSynchronize();
    wild<<<1, 1>>>(0x7fff00000000ull);
    printf("%d\n", (int)cudaDeviceSynchronize());
}
