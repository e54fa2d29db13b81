// Document 5: four ways to reach a variable of constant or global memory from the host. Added by the reader: a kernel
// that reads what was written, and the comparison. The three pieces stay in one program because they share its main.
#include <stdio.h>

__constant__ float constData[256];
__device__ float devData;
__device__ float* devPointer;

__global__ void read(float *out) {
    out[0] = constData[0] + constData[255];
    out[1] = devData;
    devPointer[0] = 7;
    out[2] = devPointer[0];
}

int main() {
    float data[256];
    for (int i = 0; i < 256; ++i) data[i] = float(i);
    cudaMemcpyToSymbol(constData, data, sizeof(data));
    for (int i = 0; i < 256; ++i) data[i] = -1;
    cudaMemcpyFromSymbol(data, constData, sizeof(data));

    float value = 3.14f;
    cudaMemcpyToSymbol(devData, &value, sizeof(float));

    float* ptr;
    cudaMalloc(&ptr, 256 * sizeof(float));
    cudaMemcpyToSymbol(devPointer, &ptr, sizeof(ptr));

    float out[3], *devOut;
    cudaMalloc(&devOut, sizeof(out));
    read<<<1, 1>>>(devOut);
    cudaMemcpy(out, devOut, sizeof(out), cudaMemcpyDeviceToHost);

    // The address of the variable is as good a target for a copy as its name.
    void *address = nullptr;
    size_t size = 0;
    cudaGetSymbolAddress(&address, devData);
    cudaGetSymbolSize(&size, constData);
    float again = 0;
    cudaMemcpy(&again, address, sizeof(again), cudaMemcpyDeviceToHost);

    printf("data[255] %.0f, kernel read %.0f %.2f %.0f, size %zu, again %.2f\n", data[255], out[0], out[1], out[2],
           size, again);
    cudaFree(ptr);
    cudaFree(devOut);
    return !(data[255] == 255 && out[0] == 255 && out[1] == value && out[2] == 7 && size == 1024 && again == value);
}
