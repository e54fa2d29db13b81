// ATTACK: waits at barriers that others never reach
// STOPS: processor time
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    else asm volatile("bar.sync 2, 256;");
}
