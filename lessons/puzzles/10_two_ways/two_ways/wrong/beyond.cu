// REPLY: Threads of the second
__global__ void two_ways(const int* in, int* out) {
    int t = threadIdx.x;
    if (t < blockDim.x / 2) out[2 * t] = twice(in[2 * t]);
    else out[2 * t + 1] = add_one(in[2 * t + 1]);
}
