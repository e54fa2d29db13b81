#include <cub/cub.cuh>
#include "check.h"
int main() {
    const std::vector<char> text = {'a', 'a', 'b', 'c', 'c', 'c', 'a'};
    char *in = to_device(text), *unique = to_device(text);
    int *counts = to_device(std::vector<int>(7)), *runs = to_device(std::vector<int>(1));
    void* storage = nullptr;
    std::size_t bytes = 0;
    cub::DeviceRunLengthEncode::Encode(storage, bytes, in, unique, counts, runs, 7);
    cudaMalloc(&storage, bytes);
    cub::DeviceRunLengthEncode::Encode(storage, bytes, in, unique, counts, runs, 7);
    const int found = from_device(runs, 1)[0];
    expect("unique", from_device(unique, found), {'a', 'b', 'c', 'a'});
    expect("counts", from_device(counts, found), {2, 1, 3, 1});
    for (void* each : {(void*)in, (void*)unique, (void*)counts, (void*)runs, storage}) cudaFree(each);
}
