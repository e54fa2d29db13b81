// Document 4: an array of char read at tid and at 4 * tid. On devices of compute capability 1.x four neighbours share a
// bank and conflict; later devices serve them together. Added by the reader: the two kernels and a check. The array of
// the text has 32 elements, too few for the second form in a whole warp: here it has 128.
#include <stdio.h>

__global__ void neighbours(char *out) {
    const int BaseIndex = 0;
    __shared__ char shared[128];
    int tid = threadIdx.x;
    for (int i = tid; i < 128; i += 32) shared[i] = char(i);
    __syncthreads();
    char data = shared[BaseIndex + tid];
    out[tid] = data;
}

__global__ void everyFourth(char *out) {
    const int BaseIndex = 0;
    __shared__ char shared[128];
    int tid = threadIdx.x;
    for (int i = tid; i < 128; i += 32) shared[i] = char(i);
    __syncthreads();
    char data = shared[BaseIndex + 4 * tid];
    out[tid] = data;
}

int main() {
    char one[32], four[32], *out;
    cudaMalloc(&out, 32);
    neighbours<<<1, 32>>>(out);
    cudaMemcpy(one, out, 32, cudaMemcpyDeviceToHost);
    everyFourth<<<1, 32>>>(out);
    cudaMemcpy(four, out, 32, cudaMemcpyDeviceToHost);
    cudaFree(out);
    int wrong = 0;
    for (int t = 0; t < 32; ++t) wrong += (one[t] != t) + (four[t] != 4 * t);
    printf("last: %d and %d, wrong %d\n", one[31], four[31], wrong);
    return wrong != 0;
}
