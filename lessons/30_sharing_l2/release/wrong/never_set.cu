// REPLY: You changed only your own variable
cudaError_t release(cudaStream_t stream) {
    cudaError_t error = cudaStreamSynchronize(stream);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.num_bytes = 0;
    cudaError_t closed = cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    cudaError_t reset = cudaCtxResetPersistingL2Cache();
    return error != cudaSuccess ? error : closed != cudaSuccess ? closed : reset;
}
