// REPLY: holds the thread's own number
__global__ void squares(int* out) {
    int i = threadIdx.x;
    out[i] = i * blockDim.x;
}
