// REPLY: elements of the *last* one
__global__ void backwards(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    if (i < n && j < n) out[i] = in[j];
}
