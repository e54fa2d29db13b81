// REPLY: That is the block's own maximum
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(4, 1, 1) cluster_max(const int* in, int* out) {
    auto cluster = cg::this_cluster();
    __shared__ int best;
    if (threadIdx.x == 0) best = INT_MIN;
    __syncthreads();
    atomicMax(&best, in[blockIdx.x * 64 + threadIdx.x]);
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = best;
    cluster.sync();
}
