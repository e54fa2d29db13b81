// POINTS: 3
// FAILS: without atomic operations
// SAYS: line 5: atomic_ref
#include <cuda/atomic>
using Number = cuda::atomic_ref<int, cuda::thread_scope_block>;
__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[256];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    const int mine = threadIdx.x < n ? tile[(threadIdx.x + shift) % n] : 0;
    if (threadIdx.x < n) Number(data[threadIdx.x]).store(mine);
}
