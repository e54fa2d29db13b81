// ATTACK: defines the kernel a second time in PTX
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {}
asm(".visible .entry _Z6add_upPiPKii() { ret; }");
