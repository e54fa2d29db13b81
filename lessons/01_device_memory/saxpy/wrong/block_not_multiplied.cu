// REPLY: By what must the block's number be multiplied?
__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
