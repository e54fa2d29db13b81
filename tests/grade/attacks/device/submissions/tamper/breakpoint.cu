// ATTACK: ends at a breakpoint
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) { asm volatile("brkpt;"); }
