// REPLY: You closed the window of the default stream
cudaError_t release(cudaStream_t stream) {
    cudaError_t error = cudaStreamSynchronize(stream);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.num_bytes = 0;
    cudaError_t closed = cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value);
    cudaError_t reset = cudaCtxResetPersistingL2Cache();
    return error != cudaSuccess ? error : closed != cudaSuccess ? closed : reset;
}
