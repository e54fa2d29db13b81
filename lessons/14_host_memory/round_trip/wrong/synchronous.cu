// REPLY: cudaMemcpy makes the host
cudaError_t squares(float* result, const float* data, int n) {
    const size_t bytes = n * sizeof(float);
    float *buffer, *device;
    cudaStream_t stream;
    cudaError_t error = cudaMallocHost(&buffer, bytes);
    if (error != cudaSuccess) return error;
    error = cudaMalloc(&device, bytes);
    if (error != cudaSuccess) {
        cudaFreeHost(buffer);
        return error;
    }
    cudaStreamCreate(&stream);

    memcpy(buffer, data, bytes);
    error = cudaMemcpy(device, buffer, bytes, cudaMemcpyHostToDevice);
    square<<<(n + 255) / 256, 256, 0, stream>>>(device, n);
    if (error == cudaSuccess) error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaMemcpy(buffer, device, bytes, cudaMemcpyDeviceToHost);
    cudaError_t waited = cudaStreamSynchronize(stream);
    if (error == cudaSuccess) error = waited;
    if (error == cudaSuccess) memcpy(result, buffer, bytes);

    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(buffer);
    return error;
}
