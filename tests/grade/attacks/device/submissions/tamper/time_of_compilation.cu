// ATTACK: writes the time at which it was compiled
// STOPS: a ctime(3) of the worker's own
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    const char time[] = __DATE__ __TIME__;
    if (threadIdx.x < sizeof time) out[threadIdx.x] = time[threadIdx.x];
}
