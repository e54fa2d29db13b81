// REPLY: is no power
__global__ void squares(int* out) {
    int i = threadIdx.x;
    out[i] = i ^ 2;
}
