// `double_all` doubles n numbers in device memory. It is given; leave it as it is.
__global__ void double_all(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

// Doubles n numbers of the host's memory on the device. Returns the first error; frees what it has allocated.
cudaError_t doubled(const int* in, int* out, int n)
{
    int *d_in = nullptr, *d_out = nullptr;
    return cudaSuccess;
}
