// REPLY: Each call pins more
cudaError_t squares(float* result, const float* data, int n) {
    const size_t bytes = n * sizeof(float);
    float *buffer, *device;
    cudaStream_t stream;
    cudaError_t error = cudaMallocHost(&buffer, bytes);
    if (error != cudaSuccess) return error;
    error = cudaMalloc(&device, bytes);
    if (error != cudaSuccess) {
        return error;
    }
    cudaStreamCreate(&stream);

    memcpy(buffer, data, bytes);
    error = cudaMemcpyAsync(device, buffer, bytes, cudaMemcpyHostToDevice, stream);
    square<<<(n + 255) / 256, 256, 0, stream>>>(device, n);
    if (error == cudaSuccess) error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaMemcpyAsync(buffer, device, bytes, cudaMemcpyDeviceToHost, stream);
    cudaError_t waited = cudaStreamSynchronize(stream);
    if (error == cudaSuccess) error = waited;
    if (error == cudaSuccess) memcpy(result, buffer, bytes);

    cudaStreamDestroy(stream);
    cudaFree(device);
    return error;
}
