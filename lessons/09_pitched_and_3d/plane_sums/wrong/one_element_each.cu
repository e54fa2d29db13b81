// REPLY: Which thread adds column 32
// Adds up each slice of a box of floats: block z stores the sum of slice z in sums[z].
__global__ void sum_planes(cudaPitchedPtr box, int width, int height, float* sums) {
    __shared__ float sum;
    if (threadIdx.x == 0 && threadIdx.y == 0) sum = 0;
    __syncthreads();
    const char* slice = (const char*)box.ptr + blockIdx.x * box.pitch * height;
    float mine = 0;
    int y = threadIdx.y;
    if (y < height) {
        const float* row = (const float*)(slice + y * box.pitch);
        int x = threadIdx.x;
        if (x < width) mine += row[x];
    }
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) sums[blockIdx.x] = sum;
}
