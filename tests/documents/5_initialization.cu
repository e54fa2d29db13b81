// Document 5, "Initialization": the first runtime call makes the context, cudaDeviceReset destroys it and the next call
// makes a new one. Added by the reader: everything; the text has no code.
#include <stdio.h>

__device__ int counter = 5;

__global__ void increment() { counter += 1; }

int main() {
    int value = 0;
    increment<<<1, 1>>>();
    cudaMemcpyFromSymbol(&value, counter, sizeof(value));
    printf("first context: %d\n", value);
    int wrong = value != 6;

    cudaError_t reset = cudaDeviceReset();
    increment<<<1, 1>>>();
    cudaMemcpyFromSymbol(&value, counter, sizeof(value));
    printf("%s, new context: %d\n", cudaGetErrorName(reset), value);
    wrong += value != 6;
    return wrong != 0;
}
