cudaGraphExec_t captured(int* d, cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t work = nullptr;
    // Your code.
    return work;
}
