// ATTACK: waits in a warp for a lock that nobody gives back
// STOPS: processor time
// POINTS: 0
// FAILS: the sums
__device__ int taken;
__global__ void add_up(int* out, const int* in, int n) {
    while (atomicCAS(&taken, 0, 1) != 0) __nanosleep(1000);
}
