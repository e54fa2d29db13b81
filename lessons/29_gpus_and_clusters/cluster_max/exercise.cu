#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(4, 1, 1) cluster_max(const int* in, int* out) {
    auto cluster = cg::this_cluster();
    // Your code.
}
