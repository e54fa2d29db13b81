// REPLY: The pitch counts bytes
// Adds up each slice of a box of floats: block z stores the sum of slice z in sums[z].
__global__ void sum_planes(cudaPitchedPtr box, int width, int height, float* sums) {
    __shared__ float sum;
    if (threadIdx.x == 0 && threadIdx.y == 0) sum = 0;
    __syncthreads();
    const float* slice = (const float*)box.ptr + blockIdx.x * box.pitch * height;
    float mine = 0;
    for (int y = threadIdx.y; y < height; y += blockDim.y) {
        const float* row = (const float*)(slice + y * box.pitch);
        for (int x = threadIdx.x; x < width; x += blockDim.x) mine += row[x];
    }
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) sums[blockIdx.x] = sum;
}
