// POINTS: 0
// FAILS: 256 elements, one block
// FAILS: 1000 elements, four blocks
// FAILS: short arrays, and other lengths
// REPLY: Compute out[0] by hand: in[0] counts four times, in[1], in[2] and
__global__ void smooth(float* out, const float* in, int n) {}
