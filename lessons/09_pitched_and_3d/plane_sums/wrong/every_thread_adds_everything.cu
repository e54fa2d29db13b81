// REPLY: Each of the 256 threads adds up the whole slice
// Adds up each slice of a box of floats: block z stores the sum of slice z in sums[z].
__global__ void sum_planes(cudaPitchedPtr box, int width, int height, float* sums) {
    __shared__ float sum;
    if (threadIdx.x == 0 && threadIdx.y == 0) sum = 0;
    __syncthreads();
    const char* slice = (const char*)box.ptr + blockIdx.x * box.pitch * height;
    float mine = 0;
    for (int y = 0; y < height; ++y) {
        const float* row = (const float*)(slice + y * box.pitch);
        for (int x = 0; x < width; ++x) mine += row[x];
    }
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) sums[blockIdx.x] = sum;
}
