// A barrier over the whole grid between two passes.
#include <cooperative_groups.h>
#include "check.h"
namespace cg = cooperative_groups;
__global__ void two_passes(int* data, int n) {
    const cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank();
    data[i] = i * i;
    grid.sync();
    const int other = data[n - 1 - i];
    grid.sync();
    data[i] = other - i;
}
int main() {
    int n = 512;
    std::vector<int> wanted(n);
    for (int i = 0; i < n; ++i) wanted[i] = (n - 1 - i) * (n - 1 - i) - i;
    int* d = to_device(wanted);
    void* arguments[] = {&d, &n};
    cudaLaunchCooperativeKernel((void*)two_passes, dim3(4), dim3(128), arguments, 0, nullptr);
    expect("grid.sync", from_device(d, n), wanted);
    cudaFree(d);
}
