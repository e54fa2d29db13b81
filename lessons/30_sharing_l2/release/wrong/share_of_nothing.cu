// REPLY: A window with a ratio of 0 is still a window
cudaError_t release(cudaStream_t stream) {
    cudaError_t error = cudaStreamSynchronize(stream);
    cudaStreamAttrValue value;
    cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    value.accessPolicyWindow.hitRatio = 0;
    cudaError_t closed = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    cudaError_t reset = cudaCtxResetPersistingL2Cache();
    return error != cudaSuccess ? error : closed != cudaSuccess ? closed : reset;
}
