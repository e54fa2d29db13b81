// ATTACK: asks for more memory than there is
// STOPS: memory of the worker
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    volatile char room[500000];
    room[threadIdx.x] = 1;
    out[threadIdx.x] = room[n];
}
