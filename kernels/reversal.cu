// Array reversal, three ways. Through shared memory both global accesses go upwards with the thread's number; the third
// kernel stores downwards, which devices since compute capability 1.2 combine as well.
#include <stdio.h>

#include <vector>

__global__ void reverse_static(int* data, int n) {
    __shared__ int copy[256];
    int t = threadIdx.x;
    copy[t] = data[t];
    __syncthreads();  // the element that this thread reads next was written by another one
    data[t] = copy[n - 1 - t];
}

__global__ void reverse_dynamic(int* data, int n) {
    extern __shared__ int dynamic_copy[];
    int t = threadIdx.x;
    dynamic_copy[t] = data[t];
    __syncthreads();
    data[t] = dynamic_copy[n - 1 - t];
}

// Any length, any grid. Out of place, so no thread can overwrite what another still has to read.
__global__ void reverse_global(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}

int wrong(const int* device, int n) {
    std::vector<int> host(n);
    cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost);
    int count = 0;
    for (int i = 0; i < n; ++i) count += host[i] != n - 1 - i;
    return count;
}

int main() {
    const int small = 256, large = 10000;
    std::vector<int> ascending(large);
    for (int i = 0; i < large; ++i) ascending[i] = i;
    int *in, *out, failures = 0, count;
    cudaMalloc(&in, large * sizeof(int));
    cudaMalloc(&out, large * sizeof(int));

    cudaMemcpy(out, ascending.data(), small * sizeof(int), cudaMemcpyHostToDevice);
    reverse_static<<<1, small>>>(out, small);
    printf("reverse_static: %d wrong\n", count = wrong(out, small));
    failures += count;

    cudaMemcpy(out, ascending.data(), small * sizeof(int), cudaMemcpyHostToDevice);
    reverse_dynamic<<<1, small, small * sizeof(int)>>>(out, small);
    printf("reverse_dynamic: %d wrong\n", count = wrong(out, small));
    failures += count;

    cudaMemcpy(in, ascending.data(), large * sizeof(int), cudaMemcpyHostToDevice);
    reverse_global<<<(large + 255) / 256, 256>>>(in, out, large);
    printf("reverse_global: %d wrong\n", count = wrong(out, large));
    failures += count;

    cudaFree(in);
    cudaFree(out);
    return failures != 0;
}
