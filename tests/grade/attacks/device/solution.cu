// EQUAL: add_up works in block 0 alone (it is launched with one block)
__global__ void add_up(int* out, const int* in, int n) {
    int sum = 0;
    for (int i = 0; i <= threadIdx.x; ++i) sum += in[i] * (i + 3);
    if (threadIdx.x < n) out[threadIdx.x] = sum;
}
