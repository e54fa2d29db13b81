// REPLY: What must each thread ask before it works?
__global__ void triple(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] *= 3;
}
