#include <cub/cub.cuh>
#include "check.h"
struct below {
    int limit;
    __host__ __device__ bool operator()(int x) const { return x < limit; }
};
int main() {
    const std::vector<int> list = numbers(3000, 100);
    std::vector<int> wanted;
    for (int each : list)
        if (each < 30) wanted.push_back(each);
    int *in = to_device(list), *out = to_device(std::vector<int>(3000)), *count = to_device(std::vector<int>(1));
    void* storage = nullptr;
    std::size_t bytes = 0;
    cub::DeviceSelect::If(storage, bytes, in, out, count, 3000, below{30});
    cudaMalloc(&storage, bytes);
    cub::DeviceSelect::If(storage, bytes, in, out, count, 3000, below{30});
    expect("If", from_device(out, from_device(count, 1)[0]), wanted);
    for (void* each : {(void*)in, (void*)out, (void*)count, storage}) cudaFree(each);
}
