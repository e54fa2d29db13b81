// REPLY: before the capture begins
cudaGraphExec_t captured(int* d, cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t work = nullptr;
    scale<<<1, 64, 0, s>>>(d, 3);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    shift<<<1, 64, 0, s>>>(d, 5);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&work, graph, 0);
    cudaGraphDestroy(graph);
    return work;
}
