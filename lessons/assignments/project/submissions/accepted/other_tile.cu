__global__ void gray(unsigned char* out, const unsigned char* rgb, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

__global__ void sobel(unsigned char* out, const unsigned char* in, int width, int height) {
    __shared__ int tile[10 * 40];
    int tx = threadIdx.x, ty = threadIdx.y;
    for (int row = ty; row < 10; row += 8)
        for (int column = tx; column < 34; column += 32) {
            int x = max(0, min(width - 1, int(blockIdx.x) * 32 + column - 1));
            int y = max(0, min(height - 1, int(blockIdx.y) * 8 + row - 1));
            tile[row * 40 + column] = in[y * width + x];
        }
    __syncthreads();
    const int* p = &tile[(ty + 1) * 40 + tx + 1];
    int gx = p[-39] + 2 * p[1] + p[41] - p[-41] - 2 * p[-1] - p[39];
    int gy = p[39] + 2 * p[40] + p[41] - p[-41] - 2 * p[-40] - p[-39];
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    if (x < width && y < height) out[y * width + x] = min(255, abs(gx) + abs(gy));
}

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[data[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void level(const unsigned* bins, unsigned keep, int* result) {
    __shared__ unsigned from[256];
    int t = threadIdx.x;
    from[t] = bins[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        unsigned other = t + step < 256 ? from[t + step] : 0;
        __syncthreads();
        from[t] += other;
        __syncthreads();
    }
    // from[t] is the number of pixels with a value of at least t.
    if (from[t] <= keep && (t == 0 || from[t - 1] > keep)) *result = t;
    if (t == 255 && from[255] > keep) *result = 256;
}

__global__ void mark(unsigned char* out, const unsigned char* edges, int n, const int* level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = edges[i] >= *level ? 255 : 0;
}
