// Tiles of a block: shuffles, votes and reductions within each.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "check.h"
namespace cg = cooperative_groups;
__global__ void tiles(int* sums, int* votes) {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int value = threadIdx.x;
    for (int step = tile.size() / 2; step > 0; step /= 2) value += tile.shfl_down(value, step);
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = value;
    votes[threadIdx.x] = __popc(tile.ballot(threadIdx.x % 3 == 0)) + cg::reduce(tile, 1, cg::plus<int>());
}
int main() {
    std::vector<int> sums(8), votes(64);
    for (int i = 0; i < 64; ++i) sums[i / 8] += i;
    for (int i = 0; i < 64; ++i) {
        votes[i] = 8;
        for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) votes[i] += k % 3 == 0;
    }
    int *s = to_device(std::vector<int>(8)), *v = to_device(std::vector<int>(64));
    tiles<<<1, 64>>>(s, v);
    expect("sums", from_device(s, 8), sums);
    expect("votes", from_device(v, 64), votes);
    cudaFree(s);
    cudaFree(v);
}
