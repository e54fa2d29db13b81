// REPLY: one thread does all the adding
__global__ void dot(const int* a, const int* b, int* out) {
    __shared__ volatile int part[256];
    int i = threadIdx.x, sum = 0;
    part[i] = a[i] * b[i];
    __syncthreads();
    for (int k = 0; i == 0 && k < blockDim.x; ++k) sum += part[k];
    if (i == 0) *out = sum;
}
