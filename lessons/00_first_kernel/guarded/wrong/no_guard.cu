// REPLY: Some threads have no element, and access memory past the end of the array
__global__ void triple(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] *= 3;
}
