// cuda::atomic in device memory, cuda::atomic_ref of plain integers.
#include <cuda/atomic>
#include "check.h"
__device__ cuda::atomic<int, cuda::thread_scope_device> total(0);
__global__ void add(int* bins, int* most) {
    total.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> bin(bins[threadIdx.x % 4]);
    bin.fetch_add(1);
    cuda::atomic_ref<int, cuda::thread_scope_block> m(*most);
    m.fetch_max(int(threadIdx.x * 7 % 64));
}
__global__ void read(int* out) { *out = total.load(); }
int main() {
    int *bins = to_device(std::vector<int>(4)), *most = to_device(std::vector<int>(1));
    add<<<2, 64>>>(bins, most);
    expect("bins", from_device(bins, 4), {32, 32, 32, 32});
    expect("most", from_device(most, 1)[0], 63);
    read<<<1, 1>>>(most);
    expect("total", from_device(most, 1)[0], 2 * 63 * 64 / 2);
    cudaFree(bins);
    cudaFree(most);
}
