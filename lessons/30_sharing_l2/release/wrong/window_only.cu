// REPLY: The window is closed, but the lines still persist
cudaError_t release(cudaStream_t stream) {
    cudaError_t error = cudaStreamSynchronize(stream);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.num_bytes = 0;
    cudaError_t closed = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    return error != cudaSuccess ? error : closed;
}
