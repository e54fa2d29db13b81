// CUB: a reduction over the device.
#include <cstdio>
#include <cub/cub.cuh>
int main() {
    int n = 4096, *d, *s;
    cudaMalloc(&d, n * 4);
    cudaMalloc(&s, 4);
    int* h = new int[n];
    for (int i = 0; i < n; ++i) h[i] = i % 17;
    cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
    void* t = nullptr;
    size_t b = 0;
    cub::DeviceReduce::Sum(t, b, d, s, n);
    cudaMalloc(&t, b);
    cub::DeviceReduce::Sum(t, b, d, s, n);
    int r;
    cudaMemcpy(&r, s, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(d);
    cudaFree(s);
    cudaFree(t);
    delete[] h;
}
