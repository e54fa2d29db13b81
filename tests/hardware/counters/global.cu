// Accesses to global memory: strides, offsets, sizes of words, layouts, masks, gathers. Small: what is counted of them
// does not depend on how long they take.
#include "launches.h"

constexpr int threads = 256, blocks = 16, n = threads * blocks;

template <class T>
__global__ void read_stride(const T* in, T* out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}
template <class T>
__global__ void write_stride(const T* in, T* out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = in[i];
}
template <class T>
__global__ void read_offset(const T* in, T* out, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + offset];
}
template <class T>
__global__ void write_offset(const T* in, T* out, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + offset] = in[i];
}
struct Five {
    float a, b, c, d, e;
};
template <class T>
__global__ void copy(const T* in, T* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i];
}
template <class T>
__global__ void copy_grid_stride(const T* in, T* out, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) out[i] = in[i];
}
// Each thread has a piece of its own: neighbours are far from each other.
__global__ void copy_pieces(const int* in, int* out, int piece) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
#pragma unroll 1
    for (int k = 0; k < piece; ++k) out[first + k] = in[first + k];
}
__global__ void norm_of_structures(const Five* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].a + in[i].c;
}
__global__ void norm_of_arrays(const float* a, const float* c, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + c[i];
}
__global__ void broadcast(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[blockIdx.x] + i;
}
__global__ void broadcast_by_warp(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i / 32 * 5] + i;
}
__global__ void reverse_block(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x];
}
__global__ void exchange(const int* in, int* out, int with) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i ^ with];
}
__global__ void halves_apart(const int* in, int* out, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + (i & 16) / 16 * distance];
}
__global__ void every_nth_thread(const int* in, int* out, int nth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % nth == 0) out[i] = in[i] + 1;
}
__global__ void first_lanes(const int* in, int* out, int lanes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < lanes) out[i] = in[i] + 1;
}
__global__ void two_ways(const int* a, const int* b, int* out, int bit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i & bit)
        out[i] = a[i] * 3;
    else
        out[i] = b[i * 2] - 1;
}
__global__ void gather(const int* index, const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}
__global__ void scatter(const int* index, const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = in[i];
}
template <class T>
__global__ void gather_hashed(const T* in, T* out, unsigned elements) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i * 2654435761u >> 7) % elements];
}
__global__ void row_sums(const float* in, float* out, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < width; ++k) sum += in[row * width + k];
    out[row] = sum;
}
__global__ void column_sums(const float* in, float* out, int width, int height) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < height; ++k) sum += in[k * width + column];
    out[column] = sum;
}
__global__ void matrix_vector(const float* matrix, const float* vector, float* out, int width) {
    int row = blockIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = threadIdx.x; k < width; k += blockDim.x) sum += matrix[row * width + k] * vector[k];
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (threadIdx.x == 0) out[row] = sum;
}
__global__ void transpose_by_rows(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
__global__ void transpose_by_columns(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = in[x * width + y];
}
__global__ void copy_pitched(const char* in, char* out, size_t pitch, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) ((float*)(out + y * pitch))[x] = ((const float*)(in + y * pitch))[x];
}
__global__ void saxpy(float a, const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = a * x[i] + y[i];
}
__global__ void stencil_line(const float* in, float* out, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + radius;
    float sum = 0;
#pragma unroll 1
    for (int k = -radius; k <= radius; ++k) sum += in[i + k];
    out[i] = sum;
}
__global__ void stencil_plane(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
    int at = y * width + x;
    out[at] = in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width];
}
__global__ void stencil_space(const float* in, float* out, int width, int height, int depth) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= width - 1 || y >= height - 1 || z >= depth - 1) return;
    int plane = width * height, at = z * plane + y * width + x;
    out[at] = in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width] + in[at - plane] + in[at + plane];
}
__global__ void product(const float* a, const float* b, float* c, int size) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= size || row >= size) return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < size; ++k) sum += a[row * size + k] * b[k * size + column];
    c[row * size + column] = sum;
}
__global__ void histogram(const unsigned char* in, unsigned* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i]], 1u);
}
__global__ void count_in_one(const int* in, unsigned* counter) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0) atomicAdd(counter, 1u);
}
__global__ void largest(const int* in, int* out, int* before) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    before[i] = atomicMax(&out[i % 64], in[i]);
}
__global__ void read_only(const int* __restrict__ in, int* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ldg(&in[i]) + __ldg(&in[i ^ 1]);
}
__constant__ float coefficients[64];
__global__ void polynomial(const float* in, float* out, int degree) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0;
#pragma unroll 1
    for (int k = 0; k < degree; ++k) sum = sum * x + coefficients[k];
    out[i] = sum;
}
__global__ void complex_product(const float2* a, const float2* b, float2* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 x = a[i], y = b[i];
    out[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
__global__ void colours_to_grey(const uchar3* in, unsigned char* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar3 c = in[i];
    out[i] = (unsigned char)((c.x * 77 + c.y * 151 + c.z * 28) >> 8);
}
__global__ void search(const int* sorted, const int* keys, int* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < keys[i])
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}
__global__ void sparse_product(const int* rows, const int* columns, const float* values, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = rows[row]; k < rows[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
}
__global__ void triangle(const float* in, float* out, int width) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column <= row) out[row * width + column] = in[row * width + column] * 2;
}

template <class T>
void with_type(const char* type, const std::vector<int>& strides, const std::vector<int>& offsets) {
    T *in = filled<T>(n * 34), *out = zeros<T>(n * 34);
    const std::string tail = std::string(":") + type + ":";
    for (int s : strides)
        launch("read_stride" + tail + std::to_string(s), read_stride<T>, blocks, threads, 0, in, out, s);
    for (int s : strides)
        launch("write_stride" + tail + std::to_string(s), write_stride<T>, blocks, threads, 0, in, out, s);
    for (int o : offsets)
        launch("read_offset" + tail + std::to_string(o), read_offset<T>, blocks, threads, 0, in, out, o);
    for (int o : offsets)
        launch("write_offset" + tail + std::to_string(o), write_offset<T>, blocks, threads, 0, in, out, o);
    launch("copy" + tail + "all", copy<T>, blocks, threads, 0, in, out, n);
    launch("copy" + tail + "odd", copy<T>, blocks, threads, 0, in, out, n - 1234);
    launch("copy_grid_stride" + tail, copy_grid_stride<T>, 5, 96, 0, in, out, n - 77);
    launch("gather_hashed" + tail, gather_hashed<T>, blocks, threads, 0, in, out, 100000u);
    cudaFree(in);
    cudaFree(out);
}

int main(int count, char** arguments) {
    start(count, arguments);
    std::vector<int> all;
    for (int i = 1; i <= 33; ++i) all.push_back(i);
    const std::vector<int> some = {1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 33}, few = {0, 1, 2, 4, 8, 13, 16, 31};
    with_type<char>("char", some, few);
    with_type<short>("short", some, few);
    with_type<int>("int", all, all);
    with_type<int2>("int2", some, few);
    with_type<int4>("int4", some, few);
    with_type<double>("double", {1, 2, 3, 32}, {0, 1, 7});
    with_type<float3>("float3", {1, 2, 3}, {0, 1, 5});
    with_type<uchar4>("uchar4", {1, 3, 4}, {0, 1, 5});

    int *a = filled<int>(n * 40), *b = filled<int>(n * 40), *out = zeros<int>(n * 40);
    float *f = filled<float>(n * 40), *g = filled<float>(n * 40), *h = zeros<float>(n * 40);
    int* index = zeros<int>(n);
    std::vector<int> permutation(n);
    for (int i = 0; i < n; ++i) permutation[i] = i * 1237 % n;
    cudaMemcpy(index, permutation.data(), n * 4, cudaMemcpyHostToDevice);
    for (int piece : {1, 2, 3, 4, 8, 16, 17})
        launch("copy_pieces:" + std::to_string(piece), copy_pieces, 4, 128, 0, a, out, piece);
    launch("norm_of_structures", norm_of_structures, blocks, threads, 0, (const Five*)f, h);
    launch("norm_of_arrays", norm_of_arrays, blocks, threads, 0, f, g, h);
    launch("broadcast", broadcast, blocks, threads, 0, a, out);
    launch("broadcast_by_warp", broadcast_by_warp, blocks, threads, 0, a, out);
    launch("reverse_block", reverse_block, blocks, threads, 0, a, out);
    for (int with : {1, 2, 4, 8, 16, 31, 32, 33})
        launch("exchange:" + std::to_string(with), exchange, blocks, threads, 0, a, out, with);
    for (int distance : {0, 1, 8, 16, 100, 4096})
        launch("halves_apart:" + std::to_string(distance), halves_apart, blocks, threads, 0, a, out, distance);
    for (int nth : {1, 2, 3, 4, 5, 8, 16, 31, 32})
        launch("every_nth_thread:" + std::to_string(nth), every_nth_thread, blocks, threads, 0, a, out, nth);
    for (int lanes : {1, 2, 7, 8, 9, 16, 24, 31, 32})
        launch("first_lanes:" + std::to_string(lanes), first_lanes, blocks, threads, 0, a, out, lanes);
    for (int bit : {1, 2, 8, 16, 32})
        launch("two_ways:" + std::to_string(bit), two_ways, blocks, threads, 0, a, b, out, bit);
    launch("gather", gather, blocks, threads, 0, index, a, out);
    launch("scatter", scatter, blocks, threads, 0, index, a, out);
    for (int width : {1, 4, 8, 17, 32})
        launch("row_sums:" + std::to_string(width), row_sums, blocks, threads, 0, f, h, width);
    launch("column_sums", column_sums, 4, 128, 0, f, h, 512, 40);
    launch("matrix_vector", matrix_vector, 100, 32, 0, f, g, h, 300);
    for (int width : {128, 130}) {
        launch("transpose_by_rows:" + std::to_string(width), transpose_by_rows, dim3(5, 8), dim3(32, 8), 0, h, f, width,
               64);
        launch("transpose_by_columns:" + std::to_string(width), transpose_by_columns, dim3(2, 17), dim3(32, 8), 0, h, f,
               width, 64);
        launch("transpose_square:" + std::to_string(width), transpose_by_rows, dim3(9, 9), dim3(16, 16), 0, h, f, width,
               width);
    }
    {
        char *p = nullptr, *q = nullptr;
        size_t pitch = 0;
        must(cudaMallocPitch((void**)&p, &pitch, 333 * 4, 40), "cudaMallocPitch");
        must(cudaMallocPitch((void**)&q, &pitch, 333 * 4, 40), "cudaMallocPitch");
        cudaMemset(p, 0, pitch * 40);
        launch("copy_pitched", copy_pitched, dim3(2, 40), 256, 0, p, q, pitch, 333);
        launch("copy_packed", copy_pitched, dim3(2, 40), 256, 0, p, q, (size_t)(333 * 4), 333);
        cudaFree(p);
        cudaFree(q);
    }
    launch("saxpy", saxpy, blocks, threads, 0, 2.0f, f, h, n - 5);
    for (int radius : {1, 3, 8})
        launch("stencil_line:" + std::to_string(radius), stencil_line, blocks, threads, 0, f, h, radius);
    launch("stencil_plane", stencil_plane, dim3(7, 25), dim3(32, 8), 0, f, h, 200, 200);
    launch("stencil_space", stencil_space, dim3(2, 8, 20), dim3(32, 8), 0, f, h, 64, 60, 20);
    for (int size : {64, 70, 96})
        launch("product:" + std::to_string(size), product, dim3(6, 6), dim3(16, 16), 0, f, g, h, size);
    launch("product_wide", product, dim3(3, 12), dim3(32, 8), 0, f, g, h, 96);
    unsigned char* bytes = filled<unsigned char>(n);
    unsigned* bins = zeros<unsigned>(256);
    launch("histogram", histogram, blocks, threads, 0, bytes, bins);
    launch("count_in_one", count_in_one, blocks, threads, 0, a, bins);
    launch("largest", largest, blocks, threads, 0, a, (int*)bins, out);
    launch("read_only", read_only, blocks, threads, 0, a, out);
    launch("polynomial", polynomial, blocks, threads, 0, f, h, 20);
    launch("complex_product", complex_product, blocks, threads, 0, (const float2*)f, (const float2*)g, (float2*)h);
    launch("colours_to_grey", colours_to_grey, blocks, threads, 0, (const uchar3*)a, (unsigned char*)out);
    {
        std::vector<int> sorted(n), rows(n + 1), columns(n * 8);
        for (int i = 0; i < n; ++i) sorted[i] = i / 40;
        int *dsorted = zeros<int>(n), *drows = zeros<int>(n + 1), *dcolumns = zeros<int>(n * 8);
        cudaMemcpy(dsorted, sorted.data(), n * 4, cudaMemcpyHostToDevice);
        launch("search", search, blocks, threads, 0, dsorted, a, out, n);
        int at = 0;
        for (int i = 0; i <= n; ++i) {
            rows[i] = at;
            for (int k = 0; k < i % 5 + 1 && i < n; ++k, ++at) columns[at] = (i * 31 + k * 17) % n;
        }
        cudaMemcpy(drows, rows.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(dcolumns, columns.data(), n * 8 * 4, cudaMemcpyHostToDevice);
        launch("sparse_product", sparse_product, blocks, threads, 0, drows, dcolumns, f, g, h);
        cudaFree(dsorted);
        cudaFree(drows);
        cudaFree(dcolumns);
    }
    launch("triangle", triangle, dim3(2, 100), 64, 0, f, h, 128);
    for (void* each :
         {(void*)a, (void*)b, (void*)out, (void*)f, (void*)g, (void*)h, (void*)index, (void*)bytes, (void*)bins})
        cudaFree(each);
    return finish();
}
