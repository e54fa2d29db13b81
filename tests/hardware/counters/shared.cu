// Accesses to shared memory: strides, padding, widths, tiles, reductions, scans, atomics, with and without conflicts.
#include "launches.h"

constexpr int threads = 128, blocks = 4, n = threads * blocks;

// What is read back at the end keeps the compiler from dropping the accesses; `at` is nothing that it could know.
template <class T>
__global__ void load_stride(const int* at, T* out, int stride) {
    extern __shared__ __align__(16) char memory[];
    volatile T* s = (volatile T*)memory;
    s[at[threadIdx.x]] = (T)threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x * stride % 1024];
}
template <class T>
__global__ void store_stride(const int* at, T* out, int stride) {
    extern __shared__ __align__(16) char memory[];
    volatile T* s = (volatile T*)memory;
    s[threadIdx.x * stride] = (T)threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[at[threadIdx.x]];
}
// Words of 8 and 16 bytes.
template <class T>
__global__ void wide_stride(const T* in, T* out, int stride) {
    extern __shared__ __align__(16) char memory[];
    T* s = (T*)memory;
    s[threadIdx.x * stride] = in[threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x ^ 32) * stride];
}
template <int Pad>
__global__ void columns(const float* in, float* out) {
    __shared__ float tile[32][32 + Pad];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
template <int Pad>
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][32 + Pad];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll 1
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll 1
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void transpose_swizzled(float* out, const float* in, int width) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * width + x] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}
__global__ void transpose_16(float* out, const float* in, int width) {
    __shared__ float tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * width + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void transpose_diagonal(float* out, const float* in, int width) {
    __shared__ float tile[32][33];
    int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    int x = bx * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[(bx * 32 + threadIdx.y) * width + by * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
template <int Tile, int Pad>
__global__ void product(const float* a, const float* b, float* c, int size) {
    __shared__ float as[Tile][Tile + Pad], bs[Tile][Tile + Pad];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
    float sum = 0;
    for (int step = 0; step < size; step += Tile) {
        as[y][x] = a[row * size + step + x];
        bs[y][x] = b[(step + y) * size + column];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < Tile; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * size + column] = sum;
}
// The second factor by its columns: the lanes of a warp read one column of the tile.
template <int Pad>
__global__ void product_transposed(const float* a, const float* b, float* c, int size) {
    __shared__ float as[32][32 + Pad], bs[32][32 + Pad];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
    float sum = 0;
    for (int step = 0; step < size; step += 32) {
        as[y][x] = a[row * size + step + x];
        bs[y][x] = b[(blockIdx.x * 32 + y) * size + step + x];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < 32; ++k) sum += as[y][k] * bs[x][k];
        __syncthreads();
    }
    c[row * size + column] = sum;
}
// As it is usually written: the compiler unrolls the loop and joins loads of neighbours.
__global__ void product_unrolled(const float* a, const float* b, float* c, int size) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int step = 0; step < size; step += 16) {
        as[y][x] = a[row * size + step + x];
        bs[y][x] = b[(step + y) * size + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * size + column] = sum;
}
__global__ void reduce_interleaved(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        if (t % (2 * step) == 0) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_strided(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        int left = 2 * step * t;
        if (left < 128) s[left] += s[left + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_sequential(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void scan_steps(const int* in, int* out) {
    __shared__ int s[2][128];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        s[now ^ 1][t] = t >= d ? s[now][t] + s[now][t - d] : s[now][t];
        now ^= 1;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = s[now][t];
}
// A scan by a tree; with Shift each 32 elements are followed by an unused one.
template <int Shift>
__global__ void scan_tree(const int* in, int* out) {
    __shared__ int s[256 + 8];
    int t = threadIdx.x;
    auto place = [](int i) { return Shift ? i + i / 32 : i; };
    s[place(2 * t)] = in[blockIdx.x * 256 + 2 * t];
    s[place(2 * t + 1)] = in[blockIdx.x * 256 + 2 * t + 1];
    int offset = 1;
#pragma unroll 1
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[place(offset * (2 * t + 2) - 1)] += s[place(offset * (2 * t + 1) - 1)];
        offset *= 2;
    }
    if (t == 0) s[place(255)] = 0;
#pragma unroll 1
    for (int d = 1; d < 256; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int left = place(offset * (2 * t + 1) - 1), right = place(offset * (2 * t + 2) - 1), kept = s[left];
            s[left] = s[right];
            s[right] += kept;
        }
    }
    __syncthreads();
    out[blockIdx.x * 256 + 2 * t] = s[place(2 * t)];
    out[blockIdx.x * 256 + 2 * t + 1] = s[place(2 * t + 1)];
}
__global__ void stencil(const int* in, int* out, int radius) {
    __shared__ int s[128 + 32];
    int start = blockIdx.x * 128;
    for (int j = threadIdx.x; j < 128 + 2 * radius; j += 128) s[j] = in[start + j];
    __syncthreads();
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k <= 2 * radius; ++k) sum += s[threadIdx.x + k];
    out[start + threadIdx.x] = sum;
}
__global__ void histogram(const unsigned char* in, unsigned* bins, int count) {
    __shared__ unsigned own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}
// A histogram for each thread, in bytes: a column of the array, or a row.
__global__ void histogram_by_thread(const unsigned char* in, unsigned* bins, int columns) {
    __shared__ unsigned char own[64 * 64];
    int t = threadIdx.x;
    for (int b = 0; b < 64; ++b) own[t * 64 + b] = 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        int bin = in[k * 64 + t] % 64;
        ++own[columns ? bin * 64 + t : t * 64 + bin];
    }
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 64; ++k) sum += own[columns ? t * 64 + k : k * 64 + t];
    bins[t] = sum;
}
__global__ void sort_block(int* values) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = values[t];
    s[t + 128] = values[t + 128];
    for (int size = 2; size <= 256; size *= 2)
#pragma unroll 1
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (step - 1));
            bool up = (t & (size / 2)) == 0;
            int a = s[at], b = s[at + step];
            if ((a > b) == up) {
                s[at] = b;
                s[at + step] = a;
            }
        }
    __syncthreads();
    values[t] = s[t];
    values[t + 128] = s[t + 128];
}
__global__ void characters(char* out, int step) {
    __shared__ volatile char s[4096];
    s[threadIdx.x * step] = (char)threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x ^ 1) * step];
}
__global__ void one_word(const int* in, int* out, int word) {
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[word] + s[threadIdx.x / 2] * 3 + s[threadIdx.x & 3];
}
__global__ void structures(const float* in, float* out, int fields) {
    __shared__ float s[128 * 12];
    for (int k = 0; k < fields; ++k) s[threadIdx.x * fields + k] = in[k * 128 + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < fields; ++k) sum += s[(threadIdx.x ^ 1) * fields + k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void scattered(const int* at, int* out) {
    __shared__ int s[1024];
    for (int k = threadIdx.x; k < 1024; k += 128) s[k] = k;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[at[blockIdx.x * blockDim.x + threadIdx.x]];
}
__global__ void under_mask(const int* in, int* out, unsigned mask, int stride) {
    __shared__ int s[32 * 33];
    int t = threadIdx.x;
    if (mask >> t & 1) s[t * stride] = in[t];
    __syncwarp();
    if (mask >> t & 1) out[t] = s[t * stride];
}
__global__ void add_to_few(const int* in, unsigned* out, int words) {
    __shared__ unsigned s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[in[threadIdx.x] % words], 1u);
    __syncthreads();
    if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}
__global__ void reverse(int* values, int count) {
    extern __shared__ int words[];
    int t = threadIdx.x;
    words[t] = values[t];
    __syncthreads();
    values[t] = words[count - t - 1];
}
__global__ void double_sums(const double* in, double* out, int stride) {
    __shared__ double s[64 * 9];
    int t = threadIdx.x;
    s[t * stride] = in[t];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) s[t * stride] += s[(t + half) * stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

template <class T>
void with_type(const char* type, const std::vector<int>& strides) {
    T* out = zeros<T>(n);
    int* at = zeros<int>(n);
    std::vector<int> places(n);
    for (int i = 0; i < n; ++i) places[i] = i % 1024;
    cudaMemcpy(at, places.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    const std::string tail = std::string(":") + type + ":";
    for (int s : strides)
        launch("load_stride" + tail + std::to_string(s), load_stride<T>, blocks, threads, 1024 * sizeof(T), at, out, s);
    for (int s : strides)
        launch("store_stride" + tail + std::to_string(s), store_stride<T>, blocks, threads, 33 * threads * sizeof(T),
               at, out, s);
    cudaFree(out);
    cudaFree(at);
}
template <class T>
void with_wide(const char* type) {
    T *in = filled<T>(n), *out = zeros<T>(n);
    for (int s : {1, 2, 3, 4, 5, 8, 16, 17, 32, 33})
        launch(std::string("wide_stride:") + type + ":" + std::to_string(s), wide_stride<T>, blocks, threads,
               33 * threads * sizeof(T), in, out, s);
    cudaFree(in);
    cudaFree(out);
}

int main(int count, char** arguments) {
    start(count, arguments);
    std::vector<int> all;
    for (int i = 1; i <= 33; ++i) all.push_back(i);
    const std::vector<int> some = {1, 2, 3, 4, 8, 16, 32, 33};
    with_type<char>("char", some);
    with_type<short>("short", some);
    with_type<int>("int", all);
    with_type<double>("double", some);
    with_type<float>("float", {1, 2, 32});
    with_wide<int2>("int2");
    with_wide<int4>("int4");
    with_wide<float3>("float3");

    float *f = filled<float>(1 << 16), *g = filled<float>(1 << 16), *h = zeros<float>(1 << 16);
    int *a = filled<int>(1 << 14), *out = zeros<int>(1 << 14);
    unsigned char* bytes = filled<unsigned char>(4096);
    unsigned* bins = zeros<unsigned>(4096);
    launch("columns:0", columns<0>, 1, dim3(32, 32), 0, f, h);
    launch("columns:1", columns<1>, 1, dim3(32, 32), 0, f, h);
    launch("columns:2", columns<2>, 1, dim3(32, 32), 0, f, h);
    launch("columns:3", columns<3>, 1, dim3(32, 32), 0, f, h);
    launch("columns:4", columns<4>, 1, dim3(32, 32), 0, f, h);
    launch("columns:8", columns<8>, 1, dim3(32, 32), 0, f, h);
    launch("columns:16", columns<16>, 1, dim3(32, 32), 0, f, h);
    for (int width : {128, 200}) {
        const std::string tail = ":" + std::to_string(width);
        launch("transpose:0" + tail, transpose<0>, dim3((width + 31) / 32, 3), dim3(32, 8), 0, h, f, width, 90);
        launch("transpose:1" + tail, transpose<1>, dim3((width + 31) / 32, 3), dim3(32, 8), 0, h, f, width, 90);
        launch("transpose:2" + tail, transpose<2>, dim3((width + 31) / 32, 3), dim3(32, 8), 0, h, f, width, 90);
    }
    launch("transpose_swizzled", transpose_swizzled, dim3(4, 4), dim3(32, 32), 0, h, f, 128);
    launch("transpose_16", transpose_16, dim3(8, 8), dim3(16, 16), 0, h, f, 128);
    launch("transpose_diagonal", transpose_diagonal, dim3(4, 4), dim3(32, 32), 0, h, f, 128);
    launch("product:8", product<8, 0>, dim3(8, 8), dim3(8, 8), 0, f, g, h, 64);
    launch("product:16", product<16, 0>, dim3(4, 4), dim3(16, 16), 0, f, g, h, 64);
    launch("product:16:1", product<16, 1>, dim3(4, 4), dim3(16, 16), 0, f, g, h, 64);
    launch("product:32", product<32, 0>, dim3(2, 2), dim3(32, 32), 0, f, g, h, 64);
    launch("product:32:1", product<32, 1>, dim3(2, 2), dim3(32, 32), 0, f, g, h, 64);
    launch("product_transposed:0", product_transposed<0>, dim3(2, 2), dim3(32, 32), 0, f, g, h, 64);
    launch("product_transposed:1", product_transposed<1>, dim3(2, 2), dim3(32, 32), 0, f, g, h, 64);
    launch("product_unrolled", product_unrolled, dim3(4, 4), dim3(16, 16), 0, f, g, h, 64);
    launch("reduce_interleaved", reduce_interleaved, 30, 128, 0, a, out);
    launch("reduce_strided", reduce_strided, 30, 128, 0, a, out);
    launch("reduce_sequential", reduce_sequential, 30, 128, 0, a, out);
    launch("scan_steps", scan_steps, 30, 128, 0, a, out);
    launch("scan_tree:0", scan_tree<0>, 30, 128, 0, a, out);
    launch("scan_tree:1", scan_tree<1>, 30, 128, 0, a, out);
    for (int radius : {1, 3, 8, 16}) launch("stencil:" + std::to_string(radius), stencil, 30, 128, 0, a, out, radius);
    launch("histogram", histogram, 4, 128, 0, bytes, bins, 4000);
    launch("histogram_by_rows", histogram_by_thread, 1, 64, 0, bytes, bins, 0);
    launch("histogram_by_columns", histogram_by_thread, 1, 64, 0, bytes, bins, 1);
    launch("sort_block", sort_block, 1, 128, 0, a);
    for (int step : {1, 2, 4, 8, 32})
        launch("characters:" + std::to_string(step), characters, 1, 128, 0, (char*)out, step);
    launch("one_word", one_word, 2, 128, 0, a, out, 17);
    for (int fields : {1, 2, 3, 4, 5, 8, 11})
        launch("structures:" + std::to_string(fields), structures, 1, 128, 0, f, h, fields);
    {
        std::vector<int> places(1 << 14);
        unsigned state = 7;
        for (int& place : places) place = (state = state * 1664525u + 1013904223u) >> 22;
        int* at = zeros<int>(1 << 14);
        cudaMemcpy(at, places.data(), places.size() * sizeof(int), cudaMemcpyHostToDevice);
        launch("scattered", scattered, 20, 128, 0, at, out);
        cudaFree(at);
    }
    for (unsigned mask : {0xffffffffu, 0xffffu, 0xffff0000u, 0x55555555u, 0x1u, 0x80000001u, 0xff00ffu})
        for (int stride : {1, 2, 32}) {
            char name[64];
            snprintf(name, sizeof name, "under_mask:%08x:%d", mask, stride);
            launch(name, under_mask, 1, 32, 0, a, out, mask, stride);
        }
    for (int words : {1, 2, 7, 32})
        launch("add_to_few:" + std::to_string(words), add_to_few, 4, 128, 0, a, bins, words);
    launch("reverse", reverse, 1, 64, 64 * sizeof(int), a, 64);
    double *d = filled<double>(64), *e = zeros<double>(64);
    for (int stride : {1, 2, 3, 8, 9})
        launch("double_sums:" + std::to_string(stride), double_sums, 2, 64, 0, d, e, stride);
    for (void* each :
         {(void*)f, (void*)g, (void*)h, (void*)a, (void*)out, (void*)bytes, (void*)bins, (void*)d, (void*)e})
        cudaFree(each);
    return finish();
}
