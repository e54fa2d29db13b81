// Document 1, "Dynamic shared memory": the kernel and its launch line. Added by the reader: a main that reverses arrays
// of three lengths with the same kernel, which a static array could not serve.
#include <stdio.h>

__global__ void dynamicReverse(int *d, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    int tr = n-t-1;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[tr];
}

int main() {
    int wrong = 0;
    for (int n = 32; n <= 512; n *= 4) {
        int host[512];
        for (int i = 0; i < n; ++i) host[i] = 3 * i;

        int *d_d;
        cudaMalloc(&d_d, n * sizeof(int));
        cudaMemcpy(d_d, host, n * sizeof(int), cudaMemcpyHostToDevice);
        dynamicReverse<<<1, n, n*sizeof(int)>>>(d_d, n);
        cudaMemcpy(host, d_d, n * sizeof(int), cudaMemcpyDeviceToHost);
        cudaFree(d_d);

        for (int i = 0; i < n; ++i) wrong += host[i] != 3 * (n - 1 - i);
        printf("n %d: first %d\n", n, host[0]);
    }
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
