#include <cstdio>

struct Pair {
    int first;
    float second[3];
};

__device__ int twice(int value) {
    return 2 * value;
}

__global__ void scale(int* p, int n) {
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pair pair = {i, {1.0f, 2.0f, 3.0f}};
    s[threadIdx.x] = i;
    __syncthreads();
    if (i < n) p[i] = twice(s[threadIdx.x]) + static_cast<int>(pair.second[0]);
}

__global__ void add(int* p, int n, int amount) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += amount;
}

int main() {
    const int n = 128;
    int* p = nullptr;
    cudaMalloc(&p, n * sizeof(int));
    scale<<<2, 64>>>(p, n);
    std::printf("scaled\n");
    for (int round = 0; round < 3; ++round) add<<<2, 64>>>(p, n, round);
    int last = 0;
    cudaMemcpy(&last, p + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("last: %d\n", last);
    cudaFree(p);
    return 3;
}
