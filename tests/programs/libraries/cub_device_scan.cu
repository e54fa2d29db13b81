#include <cub/cub.cuh>
#include <numeric>
#include "check.h"
int main() {
    const std::vector<int> list = numbers(6000, 9);
    std::vector<int> wanted(6000);
    std::exclusive_scan(list.begin(), list.end(), wanted.begin(), 0);
    int *in = to_device(list), *out = to_device(std::vector<int>(6000));
    void* storage = nullptr;
    std::size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, 6000);
    cudaMalloc(&storage, bytes);
    cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, 6000);
    expect("ExclusiveSum", from_device(out, 6000), wanted);
    for (void* each : {(void*)in, (void*)out, storage}) cudaFree(each);
}
