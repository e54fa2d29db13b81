// Document 1, "Configuring the amount of shared memory": the calls are only named in the text, so the reader writes
// them. They are hints: a device whose split is fixed may ignore them, and must not fail.
#include <stdio.h>

__global__ void fill(int *out) {
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[255 - threadIdx.x];
}

int main() {
    int *out;
    cudaMalloc(&out, 256 * sizeof(int));
    const cudaFuncCache choices[] = {cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
                                     cudaFuncCachePreferEqual};
    int wrong = 0;
    for (cudaFuncCache choice : choices) {
        cudaError_t whole = cudaDeviceSetCacheConfig(choice);
        cudaError_t one = cudaFuncSetCacheConfig(fill, choice);
        fill<<<1, 256>>>(out);
        int first = 0;
        cudaMemcpy(&first, out, sizeof(first), cudaMemcpyDeviceToHost);
        wrong += whole != cudaSuccess || one != cudaSuccess || first != 255;
        printf("choice %d: %s, %s, out[0] %d\n", choice, cudaGetErrorName(whole), cudaGetErrorName(one), first);
    }
    cudaFree(out);
    return wrong != 0;
}
