// REPLY: D holds at most eight blocks at a time, however small they are
// The product of two square matrices of `width` rows, which is a multiple of `tile`.
__global__ void product(const float* M, const float* N, float* P, int width, int tile) {
    extern __shared__ float tiles[];
    float *Mds = tiles, *Nds = tiles + tile * tile;
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    float sum = 0;
    for (int m = 0; m < width; m += tile) {
        Mds[y * tile + x] = M[row * width + m + x];
        Nds[y * tile + x] = N[(m + y) * width + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += Mds[y * tile + k] * Nds[k * tile + x];
        __syncthreads();
    }
    P[row * width + column] = sum;
}

// The largest tile width of 32, 16 and 8 with which at least `blocks` blocks are resident on a multiprocessor of device
// p, or 0.
int choose_tile(const cudaDeviceProp& p, int blocks) {
    for (int tile : {32, 16, 8}) {
        int threads = tile * tile;
        size_t bytes = 2 * threads * sizeof(float);
        if (threads > p.maxThreadsPerBlock || bytes > p.sharedMemPerBlock) continue;
        if (blocks * threads <= p.maxThreadsPerMultiProcessor &&
            blocks * (bytes + p.reservedSharedMemPerBlock) <= p.sharedMemPerMultiprocessor)
            return tile;
    }
    return 0;
}

// Starts product with that tile. Returns the status of the launch.
cudaError_t launch(const float* M, const float* N, float* P, int width, int tile) {
    product<<<dim3(width / tile, width / tile), dim3(tile, tile), 2 * tile * tile * sizeof(float)>>>(M, N, P, width,
                                                                                                     tile);
    return cudaGetLastError();
}
