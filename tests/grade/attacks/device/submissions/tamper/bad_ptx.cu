// ATTACK: gives the virtual GPU PTX that is none
// STOPS: the compiler refuses it
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    asm volatile("frobnicate.u32 %r1, %r2; }}}} .entry x () { ret; }");
}
