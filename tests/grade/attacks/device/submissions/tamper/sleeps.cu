// ATTACK: sleeps in a kernel
// STOPS: processor time
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    for (;;) __nanosleep(1000000);
}
