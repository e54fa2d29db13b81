// ATTACK: ends in a trap
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) { asm volatile("trap;"); }
