// REPLY: The two launches are in the wrong order
cudaGraphExec_t captured(int* d, cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t work = nullptr;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    shift<<<1, 64, 0, s>>>(d, 5);
    scale<<<1, 64, 0, s>>>(d, 3);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&work, graph, 0);
    cudaGraphDestroy(graph);
    return work;
}
