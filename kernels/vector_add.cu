// Vector addition: one thread an element.
#include <stdio.h>

#include <vector>

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    // The grid is rounded up to whole blocks, so the last block may have threads without an element.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 1000, block = 256;
    const size_t bytes = n * sizeof(float);
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) {
        a[i] = float(i);
        b[i] = float(1000 - i);
    }

    float *da, *db, *dc;
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    vector_add<<<(n + block - 1) / block, block>>>(da, db, dc, n);
    cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);

    int wrong = 0;
    for (float value : c) wrong += value != 1000;
    printf("vector_add: %d elements, %d wrong\n", n, wrong);
    return wrong != 0;
}
