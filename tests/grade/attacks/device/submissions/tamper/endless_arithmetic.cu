// ATTACK: never ends, and is busy
// STOPS: processor time
// POINTS: 0
// FAILS: the sums
// SAYS: ran longer than 2 s
__global__ void add_up(int* out, const int* in, int n) {
    for (unsigned i = 1; i != 0; i += 2) atomicAdd(&out[threadIdx.x], 1);
}
