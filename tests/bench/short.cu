// Kernels of few instructions for each byte, and scans and sums in shared memory: `CUDASH_REPEATS=run ./cudash run
// tests/bench/short.cu` prints the milliseconds of each (median of seven launches), with CUDASH_KERNELS=interpreted or
// compiled those of one tier.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int count = 1 << 23, width = 2048;

__global__ void copy(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void fill(float* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void grid_stride(const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];
}
__global__ void copy_4(const float4* in, float4* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void reverse(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[n - 1 - i] = in[i];
}
__global__ void add_matrices(const float* a, const float* b, float* c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) c[y * n + x] = a[y * n + x] + b[y * n + x];
}
__global__ void gray(const uchar4* in, unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 pixel = in[i];
    out[i] = (unsigned char)(0.3f * pixel.x + 0.59f * pixel.y + 0.11f * pixel.z);
}
__global__ void tiled_transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void stencil_3(const float* in, float* out, int n) {
    __shared__ float tile[258];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = in[i];
    if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == 255) tile[257] = i < n - 1 ? in[i + 1] : 0;
    __syncthreads();
    out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}
__global__ void scan(const float* in, float* out) {
    __shared__ float s[2][256];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - now][t] = t >= d ? s[now][t] + s[now][t - d] : s[now][t];
        now = 1 - now;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[now][t];
}
__global__ void interleaved_sum(const float* in, float* out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

template <class Launch>
void time(const char* name, Launch launch) {
    std::vector<double> times;
    for (int k = 0; k < 7; ++k) {
        const auto begin = std::chrono::steady_clock::now();
        launch();
        if (cudaDeviceSynchronize() != cudaSuccess) {
            std::fprintf(stderr, "%s failed\n", name);
            std::exit(1);
        }
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%-16s %9.2f\n", name, times[times.size() / 2]);
}

int main() {
    float *a, *b, *c;
    for (float** array : {&a, &b, &c}) {
        if (cudaMalloc(array, count * sizeof(float)) != cudaSuccess) return 1;
        cudaMemset(*array, 0, count * sizeof(float));
    }
    const int blocks = count / 256;
    time("copy", [&] { copy<<<blocks, 256>>>(a, b); });
    time("copy by 64", [&] { copy<<<count / 64, 64>>>(a, b); });
    time("copy_4", [&] { copy_4<<<blocks / 4, 256>>>((float4*)a, (float4*)b); });
    time("fill", [&] { fill<<<blocks, 256>>>(b); });
    time("grid_stride", [&] { grid_stride<<<256, 256>>>(a, b, count); });
    time("reverse", [&] { reverse<<<count / 1024, 1024>>>(a, b, count); });
    time("add 16 x 16", [&] { add_matrices<<<dim3(128, 128), dim3(16, 16)>>>(a, b, c, width); });
    time("add 32 x 8", [&] { add_matrices<<<dim3(64, 256), dim3(32, 8)>>>(a, b, c, width); });
    time("gray", [&] { gray<<<blocks, 256>>>((uchar4*)a, (unsigned char*)b, count); });
    time("tiled_transpose", [&] { tiled_transpose<<<dim3(64, 64), dim3(32, 8)>>>(a, b, width); });
    time("stencil_3", [&] { stencil_3<<<blocks, 256>>>(a, b, count); });
    time("scan", [&] { scan<<<blocks / 4, 256>>>(a, b); });
    time("interleaved_sum", [&] { interleaved_sum<<<blocks / 4, 256>>>(a, b); });
}
