// ENDS
// CASE cluster_block_gone
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(int* out) {
    __shared__ int value;
    cg::cluster_group cluster = cg::this_cluster();
    value = cluster.block_rank();
    cluster.sync();
    if (cluster.block_rank() == 0) {
        __nanosleep(1000000);
        *out = *cluster.map_shared_rank(&value, 1);  // FIND use-after-free
    }
}
int main() {
    int* out;
    cudaMalloc(&out, sizeof(int));
    k<<<2, 1>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
