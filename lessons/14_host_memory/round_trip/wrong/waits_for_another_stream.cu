// REPLY: The copies and the
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
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

    memcpy(buffer, data, bytes);
    error = cudaMemcpyAsync(device, buffer, bytes, cudaMemcpyHostToDevice, stream);
    square<<<(n + 255) / 256, 256, 0, stream>>>(device, n);
    if (error == cudaSuccess) error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaMemcpyAsync(buffer, device, bytes, cudaMemcpyDeviceToHost, stream);
    cudaError_t waited = cudaStreamSynchronize(0);
    if (error == cudaSuccess) error = waited;
    if (error == cudaSuccess) memcpy(result, buffer, bytes);

    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(buffer);
    return error;
}
