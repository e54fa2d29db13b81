// Matrix transpose, four ways that compute the same and differ in how a warp touches memory:
//   naive     loads a row, stores a column: each store of a warp goes to 32 different lines
//   tiled     turns the tile in shared memory, so loads and stores both go along rows; but reading a column of a tile
//             that is 32 words wide sends a whole warp to one bank
//   padded    the same with one unused column, which moves each row of the tile to the next bank
//   diagonal  padded, and neighbouring blocks work along a diagonal, so that on devices of compute capability 1.x
//             they do not queue at one memory partition
#include <stdio.h>
#include <stdlib.h>

#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

constexpr int tile = 32;
constexpr int rows = 8;  // a block of 32 x 8 threads; each thread moves four elements

__global__ void transpose_naive(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * tile + threadIdx.x;
    for (int y = blockIdx.y * tile + threadIdx.y, end = y + tile; y < end; y += rows)
        if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// `pad` is the number of unused columns.
template <int pad>
__device__ void transpose_tile(float* out, const float* in, int width, int height, int block_x, int block_y) {
    __shared__ float block[tile][tile + pad];
    int x = block_x * tile + threadIdx.x;
    int y = block_y * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < width && y + j < height) block[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    // The tile's place in the result is mirrored; within it threads still run along a row.
    x = block_y * tile + threadIdx.x;
    y = block_x * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < height && y + j < width) out[(y + j) * height + x] = block[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_tiled(float* out, const float* in, int width, int height) {
    transpose_tile<0>(out, in, width, height, blockIdx.x, blockIdx.y);
}

__global__ void transpose_padded(float* out, const float* in, int width, int height) {
    transpose_tile<1>(out, in, width, height, blockIdx.x, blockIdx.y);
}

__global__ void transpose_diagonal(float* out, const float* in, int width, int height) {
    // Numbering the blocks first makes the mapping one-to-one on grids that are not square, too.
    int bid = blockIdx.y * gridDim.x + blockIdx.x;
    int block_y = bid % gridDim.y;
    int block_x = (bid / gridDim.y + block_y) % gridDim.x;
    transpose_tile<1>(out, in, width, height, block_x, block_y);
}

int main() {
    const int width = 200, height = 136;
    const size_t bytes = width * height * sizeof(float);
    std::vector<float> in(width * height), out(width * height);
    for (int i = 0; i < width * height; ++i) in[i] = float(i);
    float *din, *dout;
    CHECK(cudaMalloc(&din, bytes));
    CHECK(cudaMalloc(&dout, bytes));
    CHECK(cudaMemcpy(din, in.data(), bytes, cudaMemcpyHostToDevice));

    int failures = 0;
    auto check = [&](const char* name, auto kernel) {
        CHECK(cudaMemset(dout, 0, bytes));
        kernel<<<dim3((width + tile - 1) / tile, (height + tile - 1) / tile), dim3(tile, rows)>>>(dout, din, width,
                                                                                                  height);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) wrong += out[x * height + y] != in[y * width + x];
        printf("%s: %d wrong\n", name, wrong);
        failures += wrong;
    };
    check("transpose_naive", transpose_naive);
    check("transpose_tiled", transpose_tiled);
    check("transpose_padded", transpose_padded);
    check("transpose_diagonal", transpose_diagonal);
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    return failures != 0;
}
