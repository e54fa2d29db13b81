// ATTACK: guesses the input from its position in memory
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    unsigned state = 1;
    for (int i = 0; i < threadIdx.x; ++i) state = state * 1664525u + 1013904223u;
    out[threadIdx.x] = state % 1000001;
}
