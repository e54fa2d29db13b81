// Document 4: short[128], float[64] and int[256] laid out by hand in one external array: offsets 0, 256 and 512, 1536
// bytes in all. Added by the reader: statements in func that use the arrays, a kernel that calls it, a launch.
#include <stdio.h>

extern __shared__ float array[];

__device__ void func(int *offsets, int *sums) {
    short* array0 = (short*)array;
    float* array1 = (float*)&array0[128];
    int* array2 = (int*)&array1[64];

    offsets[0] = int((char *)array0 - (char *)array);
    offsets[1] = int((char *)array1 - (char *)array);
    offsets[2] = int((char *)array2 - (char *)array);
    for (int i = 0; i < 128; ++i) array0[i] = 1;
    for (int i = 0; i < 64; ++i) array1[i] = 2;
    for (int i = 0; i < 256; ++i) array2[i] = 3;
    sums[0] = sums[1] = sums[2] = 0;
    for (int i = 0; i < 128; ++i) sums[0] += array0[i];
    for (int i = 0; i < 64; ++i) sums[1] += int(array1[i]);
    for (int i = 0; i < 256; ++i) sums[2] += array2[i];
}

__global__ void kernel(int *offsets, int *sums) { func(offsets, sums); }

int main() {
    int offsets[3], sums[3], *dOffsets, *dSums;
    cudaMalloc(&dOffsets, sizeof(offsets));
    cudaMalloc(&dSums, sizeof(sums));
    kernel<<<1, 1, 128 * sizeof(short) + 64 * sizeof(float) + 256 * sizeof(int)>>>(dOffsets, dSums);
    cudaMemcpy(offsets, dOffsets, sizeof(offsets), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, dSums, sizeof(sums), cudaMemcpyDeviceToHost);
    cudaFree(dOffsets);
    cudaFree(dSums);
    printf("offsets %d %d %d, sums %d %d %d\n", offsets[0], offsets[1], offsets[2], sums[0], sums[1], sums[2]);
    return !(offsets[1] == 256 && offsets[2] == 512 && sums[0] == 128 && sums[1] == 128 && sums[2] == 768);
}
