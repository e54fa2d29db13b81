// ATTACK: does a little for ever in each thread
// STOPS: processor time
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    unsigned long long x = threadIdx.x;
    do x = x * 6364136223846793005ull + 1442695040888963407ull;
    while (x != 42);
    out[threadIdx.x] = x;
}
