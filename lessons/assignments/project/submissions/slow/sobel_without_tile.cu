// POINTS: 17
// FAILS: sobel reads each pixel about once
// REPLY: The edges are right, but the kernel loads pixels up to nine times. Let
__global__ void gray(unsigned char* out, const unsigned char* rgb, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

__device__ int at(const unsigned char* in, int x, int y, int width, int height) {
    return in[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}
__global__ void sobel(unsigned char* out, const unsigned char* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int gx = 0, gy = 0;
    for (int k = -1; k <= 1; ++k) {
        int weight = k == 0 ? 2 : 1;
        gx += weight * (at(in, x + 1, y + k, width, height) - at(in, x - 1, y + k, width, height));
        gy += weight * (at(in, x + k, y + 1, width, height) - at(in, x + k, y - 1, width, height));
    }
    out[y * width + x] = min(abs(gx) + abs(gy), 255);
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
