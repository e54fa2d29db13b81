// __global__ void square(float *p, int n)  is given: it squares p[0] to p[n - 1].
cudaError_t squares(float* result, const float* data, int n) {
    const size_t bytes = n * sizeof(float);
    float* buffer;
    cudaError_t error = cudaMallocHost(&buffer, bytes);
    // Fill the buffer; copy, kernel, copy; wait; take the result out; give everything back.
    cudaFreeHost(buffer);
    return error;
}
