// REPLY: How do you close a window?
cudaError_t release(cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    return cudaCtxResetPersistingL2Cache();
}
