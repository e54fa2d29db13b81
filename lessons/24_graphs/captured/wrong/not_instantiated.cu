// REPLY: The launch has no effect
cudaGraphExec_t captured(int* d, cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t work = nullptr;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    scale<<<1, 64, 0, s>>>(d, 3);
    shift<<<1, 64, 0, s>>>(d, 5);
    cudaStreamEndCapture(s, &graph);
    cudaGraphDestroy(graph);
    return work;
}
