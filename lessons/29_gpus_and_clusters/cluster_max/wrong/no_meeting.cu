// REPLY: A block reads the others' values before they are ready
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(4, 1, 1) cluster_max(const int* in, int* out) {
    auto cluster = cg::this_cluster();
    __shared__ int best;
    if (threadIdx.x == 0) best = INT_MIN;
    __syncthreads();
    atomicMax(&best, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = best;
        for (int r = 0; r < 4; ++r) all = max(all, *cluster.map_shared_rank(&best, r));
        out[blockIdx.x] = all;
    }
}
