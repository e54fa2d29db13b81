// ATTACK: writes a kernel of its own into the unit
// STOPS: the compiler refuses it
// POINTS: 0
// FAILS: the sums
asm(".visible .entry _Z6add_upPiPKii(.param .u64 a, .param .u64 b, .param .u32 c) { ret; }");
__global__ void add_up(int* out, const int* in, int n) {}
