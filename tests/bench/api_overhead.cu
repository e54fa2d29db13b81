// What one call of the CUDA runtime costs the host, in nanoseconds: an asynchronous launch of an empty kernel, and a
// pair of cudaMalloc and cudaFree. Prints "launch N" and "malloc_free N": medians over batches. The argument is the
// number of batches. tests/bench/api_overhead runs it through cudash and through nvcc.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void empty() {}

static int failed(const char* call, cudaError_t error) {
    if (error != cudaSuccess) printf("%s: %s\n", call, cudaGetErrorName(error));
    return error != cudaSuccess;
}

template <class Call>
static double batch_time(int calls, Call call) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    return took.count() / calls;
}

static double median(std::vector<double>& times) {
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

int main(int argc, char** argv) {
    const int batches = argc > 1 ? atoi(argv[1]) : 200;
    // Fewer launches than wait in a queue before a call blocks (1,024 on an H200).
    const int launches = 500, pairs = 50;
    std::vector<double> launch, malloc_free;
    for (int i = 0; i < 3; ++i) empty<<<1, 1>>>();
    if (failed("warm-up", cudaDeviceSynchronize())) return 1;
    for (int b = 0; b < batches; ++b) {
        launch.push_back(batch_time(launches, [] { empty<<<1, 1>>>(); }));
        if (failed("launch", cudaDeviceSynchronize())) return 1;
    }
    void* p = nullptr;
    for (int b = 0; b < batches; ++b)
        malloc_free.push_back(batch_time(pairs, [&] {
            cudaMalloc(&p, 1 << 20);
            cudaFree(p);
        }));
    if (failed("cudaMalloc", cudaGetLastError())) return 1;
    printf("launch %.0f\nmalloc_free %.0f\n", median(launch), median(malloc_free));
    return 0;
}
