// At most two blocks at a time; a latch that the last one opens.
#include <cuda/latch>
#include <cuda/semaphore>
#include "check.h"
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> places(2);
__global__ void enter(int* inside, int* most, int* all) {
    places.acquire();
    atomicMax(most, atomicAdd(inside, 1) + 1);
    atomicAdd(all, 1);
    atomicSub(inside, 1);
    places.release();
}
int main() {
    int* d = to_device(std::vector<int>(3));
    enter<<<8, 1>>>(d, d + 1, d + 2);
    const std::vector<int> seen = from_device(d, 3);
    expect("inside", seen[0], 0);
    expect("at most two", seen[1] <= 2, true);
    expect("all", seen[2], 8);
    cudaFree(d);
}
