#include "cases.h"
#include <cooperative_groups.h>
// ENDS
// CASE grid_sync_without_cooperation
__global__ void k(int* d) {
    d[threadIdx.x] = 1;
    cooperative_groups::this_grid().sync();  // FIND trap
}
int main() {
    k<<<2, 32>>>(raw<int>(32));
    return cudaDeviceSynchronize() != cudaSuccess;
}
