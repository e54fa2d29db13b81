// REPLY: The second node scales again
cudaGraphExec_t built(int* d) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t first, second;
    int two = 2, one = 1;
    void* a[] = {&d, &two};
    void* b[] = {&d, &one};
    cudaKernelNodeParams scaling = {(void*)scale, dim3(1), dim3(64), 0, a, nullptr};
    cudaKernelNodeParams shifting = {(void*)shift, dim3(1), dim3(64), 0, b, nullptr};
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &scaling);
    cudaGraphAddKernelNode(&second, graph, &first, 1, &scaling);
    cudaGraphExec_t work = nullptr;
    cudaGraphInstantiate(&work, graph, 0);
    cudaGraphDestroy(graph);
    return work;
}
