// ATTACK: names other people's files in PTX
// STOPS: the virtual GPU refuses the access
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    asm volatile(".loc 1 99999 1");
    out[1 << 20] = 1;
}
