// ATTACK: ends in a trap
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) { asm volatile("trap;"); }
