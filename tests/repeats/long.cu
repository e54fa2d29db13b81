// Launches that are too long to be counted as a whole where only their times are asked for: their times, by events.
#include <cstdio>

__global__ void product(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
// Later blocks have more to do, from shared memory.
__global__ void rising(const float* a, float* c) {
    __shared__ float tile[256];
    tile[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (unsigned round = 0; round < 1 + blockIdx.x / 64; ++round)
        for (int k = 0; k < 256; ++k) sum += tile[(threadIdx.x + k) % 256] * round;
    c[blockIdx.x * 256 + threadIdx.x] = sum;
}
// The first blocks have so much to do that all seems to be counted soon; those in the launch's second half some more.
__global__ void first_more(const float* a, float* c) {
    __shared__ float tile[256];
    tile[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    unsigned rounds = blockIdx.x < 8 ? 40 : blockIdx.x / (gridDim.x / 2) * 16;
    for (unsigned round = 0; round < rounds; ++round)
        for (int k = 0; k < 256; ++k) sum += tile[(threadIdx.x + k) % 256] * round;
    c[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void add(const float* a, const float* b, float* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

template <class Launch>
void time(const char* name, Launch launch) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    printf("%s %.6f ms\n", name, milliseconds);
    cudaEventDestroy(begin), cudaEventDestroy(end);
}

int main() {
    constexpr int n = 768, blocks = 2048;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof *a), cudaMalloc(&b, n * n * sizeof *b), cudaMalloc(&c, n * n * sizeof *c);
    cudaMemset(a, 0, n * n * sizeof *a), cudaMemset(b, 0, n * n * sizeof *b);
    time("product", [&] { product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); });
    time("rising", [&] { rising<<<blocks, 256>>>(a, c); });
    time("add", [&] { add<<<blocks, 256>>>(a, b, c); });
    time("first_more", [&] { first_more<<<blocks, 256>>>(a, c); });
    cudaFree(a), cudaFree(b), cudaFree(c);
}
