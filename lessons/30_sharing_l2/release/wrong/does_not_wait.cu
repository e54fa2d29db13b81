// REPLY: What must happen first?
cudaError_t release(cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.num_bytes = 0;
    cudaError_t closed = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    cudaError_t reset = cudaCtxResetPersistingL2Cache();
    return error != cudaSuccess ? error : closed != cudaSuccess ? closed : reset;
}
