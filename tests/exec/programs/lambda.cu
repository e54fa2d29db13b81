// An extended lambda as a kernel's argument.
#include <cstdio>
template <class F>
__global__ void apply(F f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}
int main() {
    int* p;
    cudaMallocManaged(&p, 400);
    int a = 3;
    apply<<<1, 128>>>([=] __device__(int i) { p[i] = a * i; }, 100);
    cudaDeviceSynchronize();
    printf("%d\n", p[99]);
    cudaFree(p);
}
