// Document 5, "Page-locked host memory": each way to get it. Added by the reader: everything; the text only names the
// functions. A copy goes to the device and back through each block.
#include <stdio.h>
#include <stdlib.h>

const int n = 1024;
const size_t bytes = n * sizeof(int);

int round_trip(const char *name, int *host) {
    int *device, wrong = 0;
    cudaMalloc(&device, bytes);
    for (int i = 0; i < n; ++i) host[i] = i;
    cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, 0);
    cudaStreamSynchronize(0);
    for (int i = 0; i < n; ++i) host[i] = 0;
    cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, 0);
    cudaStreamSynchronize(0);
    for (int i = 0; i < n; ++i) wrong += host[i] != i;
    cudaFree(device);
    printf("%s: wrong %d\n", name, wrong);
    return wrong;
}

int main() {
    int *host, wrong = 0;

    cudaMallocHost(&host, bytes);
    wrong += round_trip("cudaMallocHost", host);
    cudaFreeHost(host);

    cudaHostAlloc(&host, bytes, cudaHostAllocDefault);
    wrong += round_trip("default", host);
    cudaFreeHost(host);

    cudaHostAlloc(&host, bytes, cudaHostAllocPortable);
    wrong += round_trip("portable", host);
    cudaFreeHost(host);

    cudaHostAlloc(&host, bytes, cudaHostAllocWriteCombined);
    wrong += round_trip("write-combining", host);
    cudaFreeHost(host);

    host = (int *)malloc(bytes);
    cudaHostRegister(host, bytes, cudaHostRegisterPortable);
    wrong += round_trip("registered", host);
    cudaHostUnregister(host);
    free(host);

    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return wrong != 0;
}
