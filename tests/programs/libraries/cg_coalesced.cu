// The lanes that are there: one atomic operation for all of them.
#include <cooperative_groups.h>
#include "check.h"
namespace cg = cooperative_groups;
__device__ int claim(int* counter) {
    const cg::coalesced_group here = cg::coalesced_threads();
    int first = 0;
    if (here.thread_rank() == 0) first = atomicAdd(counter, int(here.size()));
    return here.shfl(first, 0) + here.thread_rank();
}
__global__ void filter(const int* in, int* out, int* counter) {
    if (in[threadIdx.x] % 2) out[claim(counter)] = in[threadIdx.x];
}
int main() {
    const std::vector<int> list = numbers(32, 100);
    std::vector<int> wanted;
    for (int each : list)
        if (each % 2) wanted.push_back(each);
    int *in = to_device(list), *out = to_device(list), *counter = to_device(std::vector<int>(1));
    filter<<<1, 32>>>(in, out, counter);
    expect("odd", from_device(out, from_device(counter, 1)[0]), wanted);
    for (int* each : {in, out, counter}) cudaFree(each);
}
