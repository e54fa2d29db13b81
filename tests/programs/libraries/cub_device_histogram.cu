#include <cub/cub.cuh>
#include "check.h"
int main() {
    std::vector<float> list;
    std::vector<int> wanted(8);
    for (int each : numbers(2000, 80)) list.push_back(each + 0.5f), ++wanted[each / 10];
    float* in = to_device(list);
    int* out = to_device(std::vector<int>(8));
    void* storage = nullptr;
    std::size_t bytes = 0;
    cub::DeviceHistogram::HistogramEven(storage, bytes, in, out, 9, 0.0f, 80.0f, 2000);
    cudaMalloc(&storage, bytes);
    cub::DeviceHistogram::HistogramEven(storage, bytes, in, out, 9, 0.0f, 80.0f, 2000);
    expect("HistogramEven", from_device(out, 8), wanted);
    for (void* each : {(void*)in, (void*)out, storage}) cudaFree(each);
}
