// ENDS
// CASE allocated_in_elements
__global__ void k(float* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = i;  // FIND oob-write
}
int main() {
    const int n = 1000;
    float* d;
    cudaMalloc(&d, n);
    k<<<4, 256>>>(d, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
