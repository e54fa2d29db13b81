// ATTACK: looks for the expected values around its arrays
// STOPS: the virtual GPU refuses the access
// POINTS: 0
// FAILS: the sums
// SAYS: oob-read
__global__ void add_up(int* out, const int* in, int n) {
    const int i = threadIdx.x;
    for (int far = 1; far < 1000; ++far) out[i] = out[i + far * 256];
}
