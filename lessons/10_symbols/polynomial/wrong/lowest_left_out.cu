// REPLY: Which coefficient does your loop add last, and which one should it add last?
__constant__ float coefficients[8];

// Makes the first `count` coefficients those of the host's array. Returns the status of the copy.
cudaError_t set_coefficients(const float* values, int count) {
    return cudaMemcpyToSymbol(coefficients, values, count * sizeof(float));
}

// y[i] = coefficients[0] + coefficients[1] x[i] + ... + coefficients[count - 1] x[i]^(count - 1)
__global__ void evaluate(const float* x, float* y, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = count - 1; k > 0; --k) sum = sum * x[i] + coefficients[k];
    y[i] = sum;
}
