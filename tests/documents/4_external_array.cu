// Document 4: an external shared array takes its size from the launch. Added by the reader: a kernel that sums it.
#include <stdio.h>

extern __shared__ float shared[];

__global__ void sum(float *out, int n) {
    int t = threadIdx.x;
    shared[t] = float(t);
    __syncthreads();
    if (t == 0) {
        float total = 0;
        for (int i = 0; i < n; ++i) total += shared[i];
        *out = total;
    }
}

int main() {
    float *out;
    cudaMalloc(&out, sizeof(float));
    int wrong = 0;
    for (int n = 32; n <= 256; n *= 2) {
        float total = 0;
        sum<<<1, n, n * sizeof(float)>>>(out, n);
        cudaMemcpy(&total, out, sizeof(total), cudaMemcpyDeviceToHost);
        wrong += total != float(n * (n - 1) / 2);
        printf("%d elements: %.0f\n", n, total);
    }
    cudaFree(out);
    return wrong != 0;
}
