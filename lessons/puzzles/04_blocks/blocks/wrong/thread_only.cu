// REPLY: Where does the number of the block
__global__ void blocks(const int* in, int* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] - 1;
}
