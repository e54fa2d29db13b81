// ATTACK: writes what is left of others in memory as its result
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    int* left = (int*)malloc(1 << 12);
    out[threadIdx.x] = left ? left[threadIdx.x] : 0;
}
