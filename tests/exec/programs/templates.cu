// Instantiations of a kernel template.
#include <cstdio>
template <class T, int N>
__global__ void fill(T* p, T value) {
    if (threadIdx.x < N) p[threadIdx.x] = value;
}
template <class T>
void show(T value) {
    T *d, h[8];
    cudaMalloc(&d, sizeof h);
    fill<T, 8><<<1, 32>>>(d, value);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", double(h[7]));
    cudaFree(d);
}
int main() {
    show(3);
    show(2.5f);
    show(1e300);
}
