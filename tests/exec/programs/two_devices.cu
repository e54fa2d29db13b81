// Every device, one after the other.
#include <cstdio>
__global__ void k(int* p) {
    *p = 3;
}
int main() {
    int n;
    cudaGetDeviceCount(&n);
    printf("%d\n", n);
    for (int d = 0; d < n; ++d) {
        cudaSetDevice(d);
        int* p;
        cudaMalloc(&p, 4);
        k<<<1, 1>>>(p);
        int h;
        cudaMemcpy(&h, p, 4, cudaMemcpyDefault);
        printf("%d: %d\n", d, h);
        cudaFree(p);
    }
}
