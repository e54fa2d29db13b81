#include <cub/cub.cuh>
#include "check.h"
__global__ void warps(const int* in, int* sums, int* scans) {
    using Reduce = cub::WarpReduce<int>;
    using Scan = cub::WarpScan<int>;
    __shared__ typename Reduce::TempStorage reduce[4];
    __shared__ typename Scan::TempStorage scan[4];
    const int warp = threadIdx.x / 32, value = in[threadIdx.x];
    const int most = Reduce(reduce[warp]).Reduce(value, cuda::maximum<>());
    if (threadIdx.x % 32 == 0) sums[warp] = most;
    int sum;
    Scan(scan[warp]).InclusiveSum(value, sum);
    scans[threadIdx.x] = sum;
}
int main() {
    const std::vector<int> list = numbers(128, 1000);
    std::vector<int> most(4), sums(128);
    for (int i = 0; i < 128; ++i) {
        if (list[i] > most[i / 32]) most[i / 32] = list[i];
        sums[i] = list[i] + (i % 32 ? sums[i - 1] : 0);
    }
    int *in = to_device(list), *m = to_device(most), *s = to_device(sums);
    cudaMemset(m, 0, 16);
    cudaMemset(s, 0, 512);
    warps<<<1, 128>>>(in, m, s);
    expect("WarpReduce", from_device(m, 4), most);
    expect("WarpScan", from_device(s, 128), sums);
    for (int* each : {in, m, s}) cudaFree(each);
}
