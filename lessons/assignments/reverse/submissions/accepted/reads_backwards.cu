#include <stdio.h>
__global__ void reverse(int *d, int n)
{
    extern __shared__ int buffer[];
    int t = threadIdx.x;
    if (t < n)
        buffer[t] = d[n - t - 1];
    __syncthreads();
    if (t < n)
        d[t] = buffer[t];
}

int main()
{
    printf("my own test\n");
    return 0;
}
