// Blocks of a cluster read each other's shared memory.
#include <cooperative_groups.h>
#include "check.h"
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) exchange(int* out) {
    __shared__ int mine;
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine = 100 + int(blockIdx.x);
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
    cluster.sync();
}
int main() {
    int* out = to_device(std::vector<int>(4));
    exchange<<<4, 32>>>(out);
    expect("cluster", from_device(out, 4), {101, 100, 103, 102});
    cudaFree(out);
}
