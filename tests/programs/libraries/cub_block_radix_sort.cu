#include <algorithm>
#include <cub/cub.cuh>
#include "check.h"
__global__ void sort(int* data) {
    using Sort = cub::BlockRadixSort<int, 64, 4>;
    __shared__ typename Sort::TempStorage storage;
    int keys[4];
    cub::LoadDirectBlocked(threadIdx.x, data, keys);
    Sort(storage).Sort(keys);
    cub::StoreDirectBlocked(threadIdx.x, data, keys);
}
int main() {
    std::vector<int> list = numbers(256, 1000);
    int* d = to_device(list);
    sort<<<1, 64>>>(d);
    std::sort(list.begin(), list.end());
    expect("BlockRadixSort", from_device(d, 256), list);
    cudaFree(d);
}
