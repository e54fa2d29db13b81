// REPLY: What can a stream wait for?
cudaError_t hand_over(cudaStream_t a, cudaStream_t b, int* data, int* sum, int n) {
    produce<<<n / 256, 256, 0, a>>>(data);
    consume<<<1, 256, 0, b>>>(data, sum, n);
    return cudaGetLastError();
}
