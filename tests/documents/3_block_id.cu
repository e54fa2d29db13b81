// Document 3: the row-major number of a block. Added by the reader: a kernel that stores it. The page says that this
// number decides the order in which blocks reach the multiprocessors; that order is unspecified, the number is not.
#include <stdio.h>

__global__ void number(int *ids) {
    int bid = blockIdx.y * gridDim.x + blockIdx.x;
    ids[bid] = blockIdx.y * 100 + blockIdx.x;
}

int main() {
    const dim3 grid(5, 3);
    int host[15], *ids;
    cudaMalloc(&ids, sizeof(host));
    number<<<grid, 1>>>(ids);
    cudaMemcpy(host, ids, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(ids);
    int wrong = 0;
    for (int bid = 0; bid < 15; ++bid) wrong += host[bid] != bid / 5 * 100 + bid % 5;
    printf("bid 7 is block (%d,%d), wrong %d\n", host[7] % 100, host[7] / 100, wrong);
    return wrong != 0;
}
