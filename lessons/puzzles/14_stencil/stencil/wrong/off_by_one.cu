// REPLY: The tile is there.
__global__ void stencil(const int* in, int* out) {
    __shared__ int tile[259];
    int i = threadIdx.x, n = blockDim.x;
    tile[i + 1] = in[i];
    if (i == 0) tile[0] = tile[n + 1] = tile[n + 2] = 0;
    __syncthreads();
    out[i] = tile[i + 1] + tile[i + 2] + tile[i + 3 < n + 2 ? i + 3 : n + 2];
}
