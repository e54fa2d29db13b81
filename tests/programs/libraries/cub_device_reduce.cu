#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include "check.h"
int main() {
    const std::vector<int> list = numbers(10000, 1000);
    int *in = to_device(list), *out = to_device(std::vector<int>(1));
    void* storage = nullptr;
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(storage, bytes, in, out, 10000);
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, in, out, 10000);
    expect("Sum", from_device(out, 1)[0], std::accumulate(list.begin(), list.end(), 0));
    cudaFree(storage);
    storage = nullptr;
    cub::DeviceReduce::Max(storage, bytes, in, out, 10000);
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Max(storage, bytes, in, out, 10000);
    expect("Max", from_device(out, 1)[0], *std::max_element(list.begin(), list.end()));
    for (void* each : {(void*)in, (void*)out, storage}) cudaFree(each);
}
