#include <algorithm>
#include <cub/cub.cuh>
#include "check.h"
int main() {
    std::vector<unsigned> list;
    for (int each : numbers(5000, 1 << 20)) list.push_back((unsigned)each);
    unsigned *in = to_device(list), *out = to_device(list);
    cub::DoubleBuffer<unsigned> keys(in, out);
    void* storage = nullptr;
    std::size_t bytes = 0;
    cub::DeviceRadixSort::SortKeys(storage, bytes, keys, 5000);
    cudaMalloc(&storage, bytes);
    cub::DeviceRadixSort::SortKeys(storage, bytes, keys, 5000);
    std::sort(list.begin(), list.end());
    expect("SortKeys", from_device(keys.Current(), 5000), list);
    for (void* each : {(void*)in, (void*)out, storage}) cudaFree(each);
}
