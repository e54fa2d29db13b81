// REPLY: a warp shares a column
__global__ void column_sums(const int* in, int* out, int width, int height) {
    int first = blockIdx.x * 32;
    if (first + threadIdx.x < width) out[first + threadIdx.x] = 0;
    __syncwarp();
    for (int x = first; x < first + 32 && x < width; ++x)
        for (int y = threadIdx.x; y < height; y += 32) atomicAdd(&out[x], in[y * width + x]);
}
