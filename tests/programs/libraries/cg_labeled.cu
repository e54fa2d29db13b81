// Groups of lanes with one label: as many as there are digits.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "check.h"
namespace cg = cooperative_groups;
__global__ void groups(const int* labels, int* sizes, int* sums) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto same = cg::labeled_partition(warp, labels[threadIdx.x]);
    sizes[threadIdx.x] = same.size();
    sums[threadIdx.x] = cg::reduce(same, int(threadIdx.x), cg::plus<int>());
}
int main() {
    const std::vector<int> labels = numbers(64, 5);
    std::vector<int> sizes(64), sums(64);
    for (int i = 0; i < 64; ++i)
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k)
            if (labels[k] == labels[i]) ++sizes[i], sums[i] += k;
    int *l = to_device(labels), *n = to_device(std::vector<int>(64)), *s = to_device(std::vector<int>(64));
    groups<<<1, 64>>>(l, n, s);
    expect("sizes", from_device(n, 64), sizes);
    expect("sums", from_device(s, 64), sums);
    for (int* each : {l, n, s}) cudaFree(each);
}
