// REPLY: by hand
cudaGraphExec_t built(int* d) {
    cudaGraph_t graph;
    cudaGraphExec_t work = nullptr;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    scale<<<1, 64, 0, s>>>(d, 2);
    shift<<<1, 64, 0, s>>>(d, 1);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&work, graph, 0);
    cudaStreamDestroy(s);
    return work;
}
