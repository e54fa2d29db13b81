// ATTACK: is right about __noinline__, and wrong about the answer
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <cstdio>

__device__ __noinline__ int f() { return 1; }
__global__ void k(int* x) { *x = f(); }
int main() { puts("1"); }
