// ATTACK: prints what has no end and no address
// STOPS: the virtual GPU refuses the access
// POINTS: 0
// FAILS: the sums
#include <cstdio>
__global__ void add_up(int* out, const int* in, int n) {
    if (threadIdx.x == 0) printf("%s %n %1000000000d %*d\n", (const char*)8, (int*)16, 1, 2000000000, 1);
}
