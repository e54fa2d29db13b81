// Document 1, "Static shared memory": the kernel alone. Added by the reader: a main that fills the array, launches one
// block of 64 threads and looks at every element.
#include <stdio.h>

__global__ void staticReverse(int *d, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int tr = n-t-1;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[tr];
}

int main() {
    const int n = 64;
    int host[n];
    for (int i = 0; i < n; ++i) host[i] = i * i;

    int *device;
    cudaMalloc(&device, sizeof(host));
    cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
    staticReverse<<<1, n>>>(device, n);
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(device);

    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += host[i] != (n - 1 - i) * (n - 1 - i);
    printf("first %d, last %d, wrong %d\n", host[0], host[n - 1], wrong);
    return wrong != 0;
}
