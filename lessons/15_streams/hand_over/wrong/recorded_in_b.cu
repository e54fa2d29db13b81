// REPLY: event is recorded in
cudaError_t hand_over(cudaStream_t a, cudaStream_t b, int* data, int* sum, int n) {
    cudaEvent_t produced;
    cudaError_t error = cudaEventCreateWithFlags(&produced, cudaEventDisableTiming);
    if (error != cudaSuccess) return error;
    produce<<<n / 256, 256, 0, a>>>(data);
    cudaEventRecord(produced, b);
    cudaStreamWaitEvent(b, produced);
    consume<<<1, 256, 0, b>>>(data, sum, n);
    error = cudaGetLastError();
    cudaEventDestroy(produced);
    return error;
}
