// Launches and managed memory before main begins.
#include <cstdio>
__device__ int counter;
__global__ void k() {
    atomicAdd(&counter, 1);
}
struct G {
    G() {
        k<<<1, 64>>>();
        cudaDeviceSynchronize();
    }
} g;
__managed__ int mv = 41;
struct H {
    H() { mv++; }
} hh;
int main() {
    int h;
    cudaMemcpyFromSymbol(&h, counter, 4);
    printf("%d %d\n", h, mv);
    int two = 2;
    cudaMemcpyToSymbol(counter, &two, 4);
    k<<<1, 1>>>();
    cudaMemcpyFromSymbol(&h, counter, 4);
    printf("%d\n", h);
    void* a;
    cudaGetSymbolAddress(&a, counter);
    size_t n;
    cudaGetSymbolSize(&n, counter);
    printf("%d %zu\n", a != nullptr, n);
}
