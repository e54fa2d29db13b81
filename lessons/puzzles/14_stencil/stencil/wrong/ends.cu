// REPLY: The ends of the
__global__ void stencil(const int* in, int* out) {
    __shared__ int tile[258];
    int i = threadIdx.x;
    tile[i + 1] = in[i];
    __syncthreads();
    out[i] = tile[i] + tile[i + 1] + tile[i + 2];
}
