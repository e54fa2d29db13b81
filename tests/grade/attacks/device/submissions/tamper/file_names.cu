// ATTACK: prints names of the grader's files
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: the sums
#include <cstdio>
__global__ void add_up(int* out, const int* in, int n) {
    if (threadIdx.x == 0) printf("%s %s\n", __FILE__, __BASE_FILE__);
}
