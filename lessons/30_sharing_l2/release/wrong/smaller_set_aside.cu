// REPLY: Which call only makes the lines normal again?
cudaError_t release(cudaStream_t stream) {
    cudaError_t error = cudaStreamSynchronize(stream);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.num_bytes = 0;
    cudaError_t closed = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    cudaError_t reset = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    return error != cudaSuccess ? error : closed != cudaSuccess ? closed : reset;
}
