// Execution policies: a stream, raw pointers, the host.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/reduce.h>
#include "check.h"
int main() {
    int* raw = nullptr;
    cudaMalloc(&raw, 1000 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    thrust::device_ptr<int> p(raw);
    thrust::fill(thrust::cuda::par.on(stream), p, p + 1000, 3);
    expect("reduce", thrust::reduce(thrust::cuda::par.on(stream), p, p + 1000), 3000);
    std::vector<int> host(10, 2);
    expect("host", thrust::reduce(thrust::host, host.begin(), host.end()), 20);
    cudaStreamDestroy(stream);
    cudaFree(raw);
}
