// REPLY: The second call can't
__global__ void double_each(int* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2;
}

cudaError_t twice(int* data, int n) {
    cudaError_t error = cudaHostRegister(data, n * sizeof(int), cudaHostRegisterMapped);
    if (error != cudaSuccess) return error;
    int* on_device;
    error = cudaHostGetDevicePointer(&on_device, data, 0);
    if (error == cudaSuccess) {
        double_each<<<(n + 255) / 256, 256>>>(on_device, n);
        error = cudaGetLastError();
    }
    cudaError_t waited = cudaDeviceSynchronize();
    cudaError_t released = cudaSuccess;
    return error != cudaSuccess ? error : waited != cudaSuccess ? waited : released;
}
