// Banks of shared memory: word i lies in bank i % 32, and different words of one bank wait for each other. A warp that
// reads a column of a tile meets in one bank (32 wavefronts where 1 would do), unless
//   padded    each row is one word longer than the warp is wide: the next row begins in the next bank
//   swizzled  column c of row r lies at place c ^ r: no byte is lost, and rows keep the length of a power of two
// `:profile last` counts the wavefronts, `:profile banks LINE` draws who meets whom.
#include <stdio.h>
#include <stdlib.h>

#include <numeric>
#include <vector>

constexpr int warp = 32;

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

// Where the elements of a tile lie. `words` is the length of a row in shared memory.
struct Plain {
    static constexpr int words = warp;
    static __device__ int column(int, int column) { return column; }
};
struct Padded {
    static constexpr int words = warp + 1;
    static __device__ int column(int, int column) { return column; }
};
struct Swizzled {
    static constexpr int words = warp;
    static __device__ int column(int row, int column) { return column ^ row; }
};

// Turns a matrix of 32 x 32 elements with one warp: writes rows of the tile, reads its columns.
template <class Layout>
__global__ void turn_tile(float* out, const float* in) {
    __shared__ float tile[warp][Layout::words];
    int lane = threadIdx.x;
    for (int row = 0; row < warp; ++row) tile[row][Layout::column(row, lane)] = in[row * warp + lane];
    __syncwarp();  // the lanes read what others wrote
    for (int column = 0; column < warp; ++column) out[column * warp + lane] = tile[lane][Layout::column(lane, column)];
}

// A stride s costs gcd(s, 32) wavefronts: odd strides are free. Each lane stores the word that it finds.
__global__ void read_stride(int* out, int stride) {
    extern __shared__ int words[];
    for (int i = threadIdx.x; i < warp * stride; i += warp) words[i] = i;
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x * stride];
}

int main() {
    const int elements = warp * warp;
    std::vector<float> in(elements), out(elements);
    std::iota(in.begin(), in.end(), 0.0f);
    float *din, *dout;
    CHECK(cudaMalloc(&din, elements * sizeof(float)));
    CHECK(cudaMalloc(&dout, elements * sizeof(float)));
    CHECK(cudaMemcpy(din, in.data(), elements * sizeof(float), cudaMemcpyHostToDevice));

    int failures = 0;
    auto check = [&](const char* name, auto kernel) {
        CHECK(cudaMemset(dout, 0, elements * sizeof(float)));
        kernel<<<1, warp>>>(dout, din);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), dout, elements * sizeof(float), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int row = 0; row < warp; ++row)
            for (int column = 0; column < warp; ++column) wrong += out[column * warp + row] != in[row * warp + column];
        printf("turn_tile, %s: %d wrong\n", name, wrong);
        failures += wrong;
    };
    check("plain", turn_tile<Plain>);
    check("padded", turn_tile<Padded>);
    check("swizzled", turn_tile<Swizzled>);

    int* dwords;
    CHECK(cudaMalloc(&dwords, warp * sizeof(int)));
    for (int stride : {1, 2, 3, 4, 8, 32, 33}) {
        read_stride<<<1, warp, warp * stride * sizeof(int)>>>(dwords, stride);
        CHECK(cudaGetLastError());
        int words[warp], wrong = 0;
        CHECK(cudaMemcpy(words, dwords, sizeof words, cudaMemcpyDeviceToHost));
        for (int lane = 0; lane < warp; ++lane) wrong += words[lane] != lane * stride;
        printf("read_stride %d, gcd with 32 banks %d: %d wrong\n", stride, std::gcd(stride, 32), wrong);
        failures += wrong;
    }
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    CHECK(cudaFree(dwords));
    return failures != 0;
}
