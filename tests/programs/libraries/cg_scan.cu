#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include "check.h"
namespace cg = cooperative_groups;
__global__ void scans(const int* in, int* before, int* most) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    before[threadIdx.x] = cg::exclusive_scan(warp, in[threadIdx.x], cg::plus<int>());
    most[threadIdx.x] = cg::inclusive_scan(warp, in[threadIdx.x], cg::greater<int>());
}
int main() {
    const std::vector<int> list = numbers(96, 1000);
    std::vector<int> before(96), most(96);
    for (int i = 0; i < 96; ++i) {
        before[i] = i % 32 ? before[i - 1] + list[i - 1] : 0;
        most[i] = i % 32 && most[i - 1] > list[i] ? most[i - 1] : list[i];
    }
    int *in = to_device(list), *b = to_device(list), *m = to_device(list);
    scans<<<1, 96>>>(in, b, m);
    expect("exclusive_scan", from_device(b, 96), before);
    expect("inclusive_scan", from_device(m, 96), most);
    for (int* each : {in, b, m}) cudaFree(each);
}
