// A cooperative launch: barriers over the whole grid.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void k(int* p, int n) {
    auto g = cg::this_grid();
    for (int step = n / 2; step > 0; step /= 2) {
        if (g.thread_rank() < step) p[g.thread_rank()] += p[g.thread_rank() + step];
        g.sync();
    }
}
int main() {
    const int n = 1024;
    int* p;
    cudaMallocManaged(&p, n * 4);
    for (int i = 0; i < n; ++i) p[i] = i;
    int m = n;
    void* a[] = {&p, &m};
    auto e = cudaLaunchCooperativeKernel((void*)k, dim3(4), dim3(128), a, 0, 0);
    cudaDeviceSynchronize();
    printf("%s %d\n", cudaGetErrorName(e), p[0]);
    cudaFree(p);
}
