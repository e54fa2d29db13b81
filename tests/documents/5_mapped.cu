// Document 5, "Mapped memory": a kernel works on host memory without a copy. Added by the reader: everything; the text
// only names the functions. It asks for cudaDeviceMapHost first, as the text says; today mapping is always on.
#include <stdio.h>
#include <stdlib.h>

__global__ void square(int *data) { data[threadIdx.x] *= data[threadIdx.x]; }

int main() {
    cudaSetDeviceFlags(cudaDeviceMapHost);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    if (!prop.canMapHostMemory) {
        printf("this device cannot map host memory\n");
        return 0;
    }

    int *host, *device;
    cudaHostAlloc(&host, 256 * sizeof(int), cudaHostAllocMapped);
    for (int i = 0; i < 256; ++i) host[i] = i;
    cudaHostGetDevicePointer(&device, host, 0);
    square<<<1, 256>>>(device);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 256; ++i) wrong += host[i] != i * i;
    printf("allocated: host[15] %d, wrong %d\n", host[15], wrong);
    cudaFreeHost(host);

    host = (int *)malloc(256 * sizeof(int));
    cudaHostRegister(host, 256 * sizeof(int), cudaHostRegisterMapped);
    for (int i = 0; i < 256; ++i) host[i] = -i;
    cudaHostGetDevicePointer(&device, host, 0);
    square<<<1, 256>>>(device);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; ++i) wrong += host[i] != i * i;
    printf("registered: host[15] %d, wrong %d\n", host[15], wrong);
    cudaHostUnregister(host);
    free(host);
    return wrong != 0;
}
