// REPLY: was the pointer registered before its device pointer was asked for?
__global__ void double_each(int* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2;
}

cudaError_t twice(int* data, int n) {
    int* on_device;
    cudaError_t error = cudaHostGetDevicePointer(&on_device, data, 0);
    if (error != cudaSuccess) return error;
    error = cudaHostRegister(data, n * sizeof(int), cudaHostRegisterMapped);
    if (error == cudaSuccess) {
        double_each<<<(n + 255) / 256, 256>>>(on_device, n);
        error = cudaGetLastError();
    }
    cudaError_t waited = cudaDeviceSynchronize();
    cudaError_t released = cudaHostUnregister(data);
    return error != cudaSuccess ? error : waited != cudaSuccess ? waited : released;
}
