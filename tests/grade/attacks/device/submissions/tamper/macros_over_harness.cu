// ATTACK: renames what the harness uses
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: compiles
#define run(...) nothing()
#define cudaMemcpy(...) 0
#define __global__
__global__ void add_up(int* out, const int* in, int n) {}
