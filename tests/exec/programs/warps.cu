// Shuffles and votes within a warp.
#include <cstdio>
__global__ void k(int* out) {
    int v = threadIdx.x;
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);
    unsigned odd = __ballot_sync(~0u, threadIdx.x % 2);
    if (threadIdx.x == 0) out[0] = v, out[1] = __popc(odd);
}
int main() {
    int *d, h[2];
    cudaMalloc(&d, sizeof h);
    k<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[1]);
    cudaFree(d);
}
