// REPLY: How is a window closed?
cudaError_t release(cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    return cudaCtxResetPersistingL2Cache();
}
