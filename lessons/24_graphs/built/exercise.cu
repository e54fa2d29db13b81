// Two nodes: d * 2, then + 1.
cudaGraphExec_t built(int* d) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    // Your code.
    cudaGraphExec_t work = nullptr;
    cudaGraphInstantiate(&work, graph, 0);
    cudaGraphDestroy(graph);
    return work;
}
