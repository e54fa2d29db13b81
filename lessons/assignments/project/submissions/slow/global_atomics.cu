// POINTS: 18.5
// FAILS: few atomic operations on global memory
// REPLY: The counts are right, but too many atomic operations go to global
__global__ void gray(unsigned char* out, const unsigned char* rgb, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

__global__ void sobel(unsigned char* out, const unsigned char* in, int width, int height) {
    __shared__ unsigned char tile[10][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 10 * 34; k += 256) {
        int x = min(max(x0 + k % 34, 0), width - 1), y = min(max(y0 + k / 34, 0), height - 1);
        tile[k / 34][k % 34] = in[y * width + x];
    }
    __syncthreads();
    int x = threadIdx.x, y = threadIdx.y;
    int gx = tile[y][x + 2] + 2 * tile[y + 1][x + 2] + tile[y + 2][x + 2] - tile[y][x] - 2 * tile[y + 1][x] - tile[y + 2][x];
    int gy = tile[y + 2][x] + 2 * tile[y + 2][x + 1] + tile[y + 2][x + 2] - tile[y][x] - 2 * tile[y][x + 1] - tile[y][x + 2];
    int column = blockIdx.x * 32 + x, row = blockIdx.y * 8 + y;
    if (column < width && row < height) out[row * width + column] = min(abs(gx) + abs(gy), 255);
}

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[data[i]], 1u);
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
