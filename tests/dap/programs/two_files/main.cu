#include <cstdio>

__global__ void halve(int* p);

static __device__ float part(float value) {
    return value * 3;
}

__global__ void triple(int* p) {
    p[threadIdx.x] = static_cast<int>(part(static_cast<float>(threadIdx.x)));
}

int main() {
    int* p = nullptr;
    cudaMalloc(&p, 32 * sizeof(int));
    triple<<<1, 32>>>(p);
    halve<<<1, 32>>>(p);
    int last = 0;
    cudaMemcpy(&last, p + 31, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%d\n", last);
}
