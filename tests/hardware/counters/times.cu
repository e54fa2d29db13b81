// Launches that take longer than 10 microseconds on an H200, each bound by something else: memory at both ends of the
// caches, latency, arithmetic of several kinds, conflicts, divergence, barriers; and what is usually written.
#include "launches.h"

constexpr int M = 1 << 20;

template <class T>
__global__ void copy(const T* in, T* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i];
}
template <class T>
__global__ void copy_grid_stride(const T* in, T* out, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void fill(int* out, int value) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void add(const float* a, const float* b, float* c, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) c[i] = a[i] + b[i];
}
__global__ void saxpy(float a, const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = a * x[i] + y[i];
}
__global__ void read_stride(const int* in, int* out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}
__global__ void write_stride(const int* in, int* out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = in[i];
}
__global__ void read_offset(const int* in, int* out, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + offset];
}
__global__ void gather_hashed(const int* in, int* out, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i * 2654435761u >> 5) & mask];
}
// All threads together read `words` words again and again.
__global__ void read_again(const int* in, int* out, unsigned mask, int times) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
#pragma unroll 4
    for (int k = 0; k < times; ++k) sum += in[(i + k * gridDim.x * blockDim.x) & mask];
    if (sum == 12345) out[0] = sum;
}
// Each block reads 8 KB of its own.
__global__ void read_in_l1(const int* in, int* out, int times) {
    int sum = 0;
#pragma unroll 4
    for (int k = 0; k < times; ++k) sum += in[blockIdx.x * 2048 + ((threadIdx.x + k * 256) & 2047)];
    if (sum == 12345) out[0] = sum;
}
__global__ void chase(const int* next, int* out, int steps) {
    int at = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < steps; ++k) at = next[at];
    out[threadIdx.x] = at;
}
__global__ void chase_shared(int* out, int steps) {
    __shared__ int next[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) next[k] = (k + 33) % 1024;
    __syncthreads();
    int at = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < steps; ++k) at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
__global__ void shared_stride(int* out, int stride, int times) {
    __shared__ volatile int s[1024 + 32];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = k;
    __syncthreads();
    int sum = 0, at = threadIdx.x * stride & 1023;
#pragma unroll 4
    for (int k = 0; k < times; ++k) sum += s[at + (k & 31)];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void shared_wide(float4* out, int times) {
    __shared__ float4 s[256];
    s[threadIdx.x] = make_float4(1, 2, 3, threadIdx.x);
    __syncthreads();
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 4
    for (int k = 0; k < times; ++k) {
        float4 v = s[(threadIdx.x + k) & 255];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void shared_atomics(unsigned* out, int words, int times) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < times; ++k) atomicAdd(&s[(threadIdx.x + k) % words], 1u);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
template <int Chains>
__global__ void multiply_add(float* out, float x, int times) {
    float sum[Chains];
    for (int c = 0; c < Chains; ++c) sum[c] = c + threadIdx.x;
#pragma unroll 8
    for (int k = 0; k < times; ++k)
        for (int c = 0; c < Chains; ++c) sum[c] = sum[c] * x + 1.5f;
    float all = 0;
    for (int c = 0; c < Chains; ++c) all += sum[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
__global__ void multiply_add_double(double* out, double x, int times) {
    double a = threadIdx.x, b = 1, c = 2, d = 3;
#pragma unroll 4
    for (int k = 0; k < times; ++k) {
        a = a * x + 1.5;
        b = b * x + 1.5;
        c = c * x + 1.5;
        d = d * x + 1.5;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
__global__ void multiply_add_integer(int* out, int x, int times) {
    int a = threadIdx.x, b = 1, c = 2, d = 3;
#pragma unroll 4
    for (int k = 0; k < times; ++k) {
        a = a * x + b;
        b = b * x + c;
        c = c * x + d;
        d = d * x + a;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
__global__ void special(float* out, int times) {
    float a = threadIdx.x * 0.001f, b = a + 1;
#pragma unroll 4
    for (int k = 0; k < times; ++k) {
        a = __expf(a) * 0.1f;
        b = __sinf(b) + 0.5f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}
__global__ void exact_functions(float* out, const float* in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    out[i] = expf(x) + logf(x + 2) + sqrtf(x + 1) + x / (x + 3);
}
__global__ void divide(int* out, const int* in, int by, int times) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i] + 1000000;
#pragma unroll 1
    for (int k = 0; k < times; ++k) v = v / by + 1000000 + k;
    out[i] = v;
}
template <int Ways>
__global__ void ways(float* out, float x, int times) {
    float v = threadIdx.x;
    const int way = threadIdx.x % Ways;
#pragma unroll 1
    for (int w = 0; w < Ways; ++w)
        if (way == w) {
#pragma unroll 1
            for (int k = 0; k < times; ++k) v = v * x + (float)w;
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void uneven(float* out, float x, int times) {
    float v = threadIdx.x;
    const int mine = times * (blockIdx.x % 8 + 1) / 8;
#pragma unroll 1
    for (int k = 0; k < mine; ++k) v = v * x + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void barriers(int* out, int times) {
    __shared__ int s[1024];
    int v = threadIdx.x;
    for (int k = 0; k < times; ++k) {
        s[threadIdx.x] = v;
        __syncthreads();
        v += s[(threadIdx.x + 1) % blockDim.x];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void shuffles(int* out, int times) {
    int v = threadIdx.x;
#pragma unroll 4
    for (int k = 0; k < times; ++k) v += __shfl_xor_sync(0xffffffff, v, 1 << (k & 3));
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void transpose_naive(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
__global__ void transpose_by_columns(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = in[x * width + y];
}
__global__ void transpose_diagonal(float* out, const float* in, int width, int height) {
    int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    int x = bx * blockDim.x + threadIdx.x, y = by * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
template <int Pad>
__global__ void transpose_tiled(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][32 + Pad];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void product_naive(const float* a, const float* b, float* c, int size) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= size || column >= size) return;
    float sum = 0;
    for (int k = 0; k < size; ++k) sum += a[row * size + k] * b[k * size + column];
    c[row * size + column] = sum;
}
template <int Tile>
__global__ void product_tiled(const float* a, const float* b, float* c, int size) {
    __shared__ float as[Tile][Tile], bs[Tile][Tile];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
    float sum = 0;
    for (int step = 0; step < size; step += Tile) {
        as[y][x] = a[row * size + step + x];
        bs[y][x] = b[(step + y) * size + column];
        __syncthreads();
        for (int k = 0; k < Tile; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * size + column] = sum;
}
__global__ void sum_interleaved(const int* in, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void sum_strided(const int* in, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int left = 2 * step * t;
        if (left < 256) s[left] += s[left + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void sum_sequential(const int* in, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void sum_grid_stride(const int* in, int* total, int count) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += in[i];
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
__global__ void scan_blocks(const int* in, int* out) {
    __shared__ int s[2][256];
    int t = threadIdx.x, now = 0, i = blockIdx.x * 256 + t;
    s[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[now ^ 1][t] = t >= d ? s[now][t] + s[now][t - d] : s[now][t];
        now ^= 1;
        __syncthreads();
    }
    out[i] = s[now][t];
}
__global__ void stencil_line(const float* in, float* out, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k <= 2 * radius; ++k) sum += in[i + k];
    out[i] = sum;
}
__global__ void stencil_shared(const float* in, float* out, int radius) {
    __shared__ float s[256 + 64];
    int start = blockIdx.x * 256;
    for (int j = threadIdx.x; j < 256 + 2 * radius; j += 256) s[j] = in[start + j];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k <= 2 * radius; ++k) sum += s[threadIdx.x + k];
    out[start + threadIdx.x] = sum;
}
__global__ void stencil_plane(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
    int at = y * width + x;
    out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
}
__global__ void stencil_space(const float* in, float* out, int width, int height, int depth) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= width - 1 || y >= height - 1 || z >= depth - 1) return;
    int plane = width * height, at = z * plane + y * width + x;
    out[at] = in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width] + in[at - plane] + in[at + plane];
}
__constant__ float weights[25];
__global__ void convolve(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width - 4 || y >= height - 4) return;
    float sum = 0;
    for (int dy = 0; dy < 5; ++dy)
        for (int dx = 0; dx < 5; ++dx) sum += weights[dy * 5 + dx] * in[(y + dy) * width + x + dx];
    out[y * width + x] = sum;
}
__global__ void histogram_global(const unsigned char* in, unsigned* bins, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}
__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int count) {
    __shared__ unsigned own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}
__global__ void add_everywhere(unsigned* out) {
    atomicAdd(&out[blockIdx.x * blockDim.x + threadIdx.x], 1u);
}
__global__ void row_sums(const float* in, float* out, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < width; ++k) sum += in[row * width + k];
    out[row] = sum;
}
__global__ void column_sums(const float* in, float* out, int width, int height) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < height; ++k) sum += in[k * width + column];
    out[column] = sum;
}
__global__ void matrix_vector(const float* matrix, const float* vector, float* out, int width) {
    float sum = 0;
    for (int k = threadIdx.x; k < width; k += blockDim.x) sum += matrix[blockIdx.x * width + k] * vector[k];
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], sum);
}
__global__ void bodies(const float4* at, float4* force, int count) {
    __shared__ float4 s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = at[i];
    float fx = 0, fy = 0, fz = 0;
    for (int first = 0; first < count; first += 128) {
        s[threadIdx.x] = at[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 128; ++k) {
            float dx = s[k].x - own.x, dy = s[k].y - own.y, dz = s[k].z - own.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), w = s[k].w * r * r * r;
            fx += dx * w;
            fy += dy * w;
            fz += dz * w;
        }
        __syncthreads();
    }
    force[i] = make_float4(fx, fy, fz, 0);
}
__global__ void mandelbrot(int* out, int width, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.0f + 3.0f * x / width, cy = -1.5f + 3.0f * y / width, zx = 0, zy = 0;
    int k = 0;
    while (k < most && zx * zx + zy * zy < 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        ++k;
    }
    out[y * width + x] = k;
}
__global__ void sort_blocks(int* values) {
    __shared__ int s[512];
    int t = threadIdx.x;
    int* mine = values + blockIdx.x * 512;
    s[t] = mine[t];
    s[t + 256] = mine[t + 256];
    for (int size = 2; size <= 512; size *= 2)
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
    mine[t] = s[t];
    mine[t + 256] = s[t + 256];
}
// A copy through shared memory; how many blocks are resident is what the amount of it allows.
__global__ void copy_through_shared(const int* in, int* out, int count) {
    extern __shared__ int words[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        words[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = words[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}
__global__ void structures(const float* in, float* out, int fields) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < fields; ++k) sum += in[i * fields + k];
    out[i] = sum;
}
__global__ void arrays(const float* in, float* out, int fields, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < fields; ++k) sum += in[k * count + i];
    out[i] = sum;
}

std::string with(const char* name, long long value) {
    return std::string(name) + ":" + std::to_string(value);
}

void memory() {
    int *in = zeros<int>(64 * M), *out = zeros<int>(64 * M);
    float *f = (float*)in, *h = (float*)out;
    launch("copy:char", copy<char>, 16 * M / 256, 256, 0, (const char*)in, (char*)out, 16 * M);
    launch("copy:short", copy<short>, 16 * M / 256, 256, 0, (const short*)in, (short*)out, 16 * M);
    for (int size : {8, 16, 32}) launch(with("copy:int", size), copy<int>, size * M / 256, 256, 0, in, out, size * M);
    for (int size : {4, 8, 16})
        launch(with("copy:int2", size), copy<int2>, size * M / 256, 256, 0, (const int2*)in, (int2*)out, size * M);
    for (int size : {2, 4, 8})
        launch(with("copy:int4", size), copy<int4>, size * M / 256, 256, 0, (const int4*)in, (int4*)out, size * M);
    for (int block : {32, 64, 128, 512, 1024})
        launch(with("copy:block", block), copy<int>, 16 * M / block, block, 0, in, out, 16 * M);
    for (int grid : {33, 66, 132, 264, 528, 1056, 4224})
        launch(with("copy_grid_stride", grid), copy_grid_stride<int>, grid, 256, 0, in, out, 8 * M);
    launch("copy_grid_stride:int4", copy_grid_stride<int4>, 1056, 256, 0, (const int4*)in, (int4*)out, 4 * M);
    launch("fill", fill, 32 * M / 256, 256, 0, out, 7);
    launch("add", add, 16 * M / 256, 256, 0, f, f + 16 * M, h, 16 * M);
    launch("saxpy", saxpy, 16 * M / 256, 256, 0, 2.0f, f, h, 16 * M);
    for (int stride : {2, 3, 4, 8, 9, 16})
        launch(with("read_stride", stride), read_stride, 4 * M / 256, 256, 0, in, out, stride);
    for (int stride : {2, 4, 8, 16})
        launch(with("write_stride", stride), write_stride, 4 * M / 256, 256, 0, in, out, stride);
    for (int offset : {1, 8, 17})
        launch(with("read_offset", offset), read_offset, 16 * M / 256, 256, 0, in, out, offset);
    for (int words : {4 * 1024, M, 4 * M, 64 * M})
        launch(with("gather_hashed", words), gather_hashed, 8 * M / 256, 256, 0, in, out, (unsigned)words - 1);
    for (int words : {M / 4, 2 * M, 8 * M, 32 * M})
        launch(with("read_again", words), read_again, 1056, 256, 0, in, out, (unsigned)words - 1, 128);
    for (int grid : {132, 528, 1056}) launch(with("read_in_l1", grid), read_in_l1, grid, 256, 0, in, out, 512);
    for (int fields : {2, 4, 8}) {
        launch(with("structures", fields), structures, 8 * M / fields * 2 / 256, 256, 0, f, h, fields);
        launch(with("arrays", fields), arrays, 8 * M / fields * 2 / 256, 256, 0, f, h, fields, 8 * M / fields * 2);
    }
    for (int shared : {1, 32, 64, 100, 200})
        launch(with("copy_through_shared", shared), copy_through_shared, 1056, 256, (size_t)shared * 1024, in, out,
               4 * M);
    for (int size : {2048, 4096}) {
        const dim3 grid16(size / 16, size / 16), grid32(size / 32, size / 32), grid8(size / 32, size / 8);
        launch(with("transpose_naive:16", size), transpose_naive, grid16, dim3(16, 16), 0, h, f, size, size);
        launch(with("transpose_naive:32", size), transpose_naive, grid8, dim3(32, 8), 0, h, f, size, size);
        launch(with("transpose_by_columns", size), transpose_by_columns, grid8, dim3(32, 8), 0, h, f, size, size);
        launch(with("transpose_diagonal", size), transpose_diagonal, grid16, dim3(16, 16), 0, h, f, size, size);
        launch(with("transpose_tiled:0", size), transpose_tiled<0>, grid32, dim3(32, 8), 0, h, f, size, size);
        launch(with("transpose_tiled:1", size), transpose_tiled<1>, grid32, dim3(32, 8), 0, h, f, size, size);
    }
    for (int radius : {1, 3, 8}) launch(with("stencil_line", radius), stencil_line, 8 * M / 256, 256, 0, f, h, radius);
    for (int radius : {3, 8, 16})
        launch(with("stencil_shared", radius), stencil_shared, 8 * M / 256, 256, 0, f, h, radius);
    launch("stencil_plane", stencil_plane, dim3(128, 512), dim3(32, 8), 0, f, h, 4096, 4096);
    launch("stencil_space", stencil_space, dim3(8, 32, 128), dim3(32, 8), 0, f, h, 256, 256, 128);
    launch("convolve", convolve, dim3(64, 256), dim3(32, 8), 0, f, h, 2048, 2048);
    for (int width : {64, 256}) launch(with("row_sums", width), row_sums, 8 * M / width / 128, 128, 0, f, h, width);
    launch("column_sums", column_sums, 64, 128, 0, f, h, 8192, 1024);
    launch("matrix_vector", matrix_vector, 4096, 128, 0, f, f + 32 * M, h, 4096);
    launch("sum_interleaved", sum_interleaved, 16 * M / 256, 256, 0, in, out);
    launch("sum_strided", sum_strided, 16 * M / 256, 256, 0, in, out);
    launch("sum_sequential", sum_sequential, 16 * M / 256, 256, 0, in, out);
    launch("sum_grid_stride", sum_grid_stride, 1056, 256, 0, in, out, 32 * M);
    launch("scan_blocks", scan_blocks, 8 * M / 256, 256, 0, in, out);
    launch("exact_functions", exact_functions, 8 * M / 256, 256, 0, h, f);
    launch("add_everywhere", add_everywhere, 8 * M / 256, 256, 0, (unsigned*)out);
    launch("sort_blocks", sort_blocks, 4096, 256, 0, out);
    cudaFree(in);
    cudaFree(out);
}

void arithmetic() {
    float *f = zeros<float>(4 * M), *g = zeros<float>(4 * M), *h = zeros<float>(4 * M);
    int* out = (int*)h;
    launch("product_naive:512", product_naive, dim3(32, 32), dim3(16, 16), 0, f, g, h, 512);
    launch("product_naive:1024", product_naive, dim3(64, 64), dim3(16, 16), 0, f, g, h, 1024);
    launch("product_naive:32x8", product_naive, dim3(16, 64), dim3(32, 8), 0, f, g, h, 512);
    launch("product_tiled:8", product_tiled<8>, dim3(64, 64), dim3(8, 8), 0, f, g, h, 512);
    launch("product_tiled:16", product_tiled<16>, dim3(32, 32), dim3(16, 16), 0, f, g, h, 512);
    launch("product_tiled:32", product_tiled<32>, dim3(16, 16), dim3(32, 32), 0, f, g, h, 512);
    launch("product_tiled:16:1024", product_tiled<16>, dim3(64, 64), dim3(16, 16), 0, f, g, h, 1024);
    for (int stride : {1, 2, 4, 8, 16, 32})
        launch(with("shared_stride", stride), shared_stride, 528, 256, 0, out, stride, 256);
    launch("shared_wide", shared_wide, 528, 256, 0, (float4*)h, 256);
    for (int words : {1, 32, 256})
        launch(with("shared_atomics", words), shared_atomics, 528, 256, 0, (unsigned*)out, words, 64);
    for (int grid : {132, 528, 1056}) {
        launch(with("multiply_add:1", grid), multiply_add<1>, grid, 256, 0, f, 0.5f, 4096);
        launch(with("multiply_add:4", grid), multiply_add<4>, grid, 256, 0, f, 0.5f, 1024);
    }
    launch("multiply_add:warp", multiply_add<1>, 132, 32, 0, f, 0.5f, 8192);
    launch("multiply_add:tail", multiply_add<1>, 1100, 256, 0, f, 0.5f, 4096);
    launch("multiply_add_double", multiply_add_double, 528, 256, 0, (double*)f, 0.5, 512);
    launch("multiply_add_integer", multiply_add_integer, 528, 256, 0, out, 3, 1024);
    launch("special", special, 528, 256, 0, f, 512);
    launch("divide", divide, 528, 256, 0, out, (const int*)f, 7, 256);
    launch("ways:1", ways<1>, 1056, 256, 0, f, 0.5f, 2048);
    launch("ways:2", ways<2>, 1056, 256, 0, f, 0.5f, 1024);
    launch("ways:8", ways<8>, 1056, 256, 0, f, 0.5f, 512);
    launch("ways:32", ways<32>, 1056, 256, 0, f, 0.5f, 128);
    launch("uneven", uneven, 1056, 256, 0, f, 0.5f, 4096);
    for (int block : {64, 256, 1024}) launch(with("barriers", block), barriers, 132, block, 0, out, 256);
    launch("barriers:many", barriers, 1056, 256, 0, out, 64);
    launch("shuffles", shuffles, 528, 256, 0, out, 1024);
    launch("chase_shared:1", chase_shared, 1, 32, 0, out, 2000);
    launch("chase_shared:528", chase_shared, 528, 256, 0, out, 500);
    launch("bodies", bodies, 64, 128, 0, (const float4*)f, (float4*)h, 8192);
    launch("mandelbrot", mandelbrot, dim3(32, 128), dim3(32, 8), 0, out, 1024, 256);
    cudaFree(f);
    cudaFree(g);
    cudaFree(h);
    unsigned char* bytes = filled<unsigned char>(4 * M, 256);
    unsigned* bins = zeros<unsigned>(256);
    launch("histogram_global", histogram_global, 1056, 256, 0, bytes, bins, M);
    launch("histogram_shared", histogram_shared, 1056, 256, 0, bytes, bins, 4 * M);
    cudaFree(bytes);
    cudaFree(bins);
    for (int words : {1024, 256 * 1024, 2 * M, 64 * M}) {
        int *next = zeros<int>(words), *at = zeros<int>(32);
        std::vector<int> host(words);
        for (int i = 0; i < words; ++i) host[i] = (int)((i + 33ll * 4099) % words);
        cudaMemcpy(next, host.data(), words * sizeof(int), cudaMemcpyHostToDevice);
        launch(with("chase", words), chase, 1, 32, 0, next, at, 1000);
        cudaFree(next);
        cudaFree(at);
    }
}

int main(int count, char** arguments) {
    start(count, arguments);
    memory();
    arithmetic();
    return finish();
}
