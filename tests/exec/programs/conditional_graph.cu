// A graph that repeats its body until the kernel in it says that it is enough, and then takes one of two ways.
#include <cstdio>
__global__ void halve(int* n, int* steps, cudaGraphConditionalHandle again) {
    *n = *n % 2 == 0 ? *n / 2 : 3 * *n + 1;
    ++*steps;
    cudaGraphSetConditional(again, *n != 1);
}
__global__ void compare(const int* steps, int limit, cudaGraphConditionalHandle is_long) {
    cudaGraphSetConditional(is_long, *steps > limit);
}
__global__ void say(const char* word) {
    printf("%s\n", word);
}
static cudaGraphNode_t add_conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                       cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t* bodies) {
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    cudaGraphNode_t node;
    cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &parameters);
    for (unsigned i = 0; i < size; ++i) bodies[i] = parameters.conditional.phGraph_out[i];
    return node;
}
template <class... Values>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void (*kernel)(Values...), Values... values) {
    void* arguments[] = {&values...};
    cudaKernelNodeParams parameters = {};
    parameters.func = (void*)kernel;
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node;
    cudaGraphAddKernelNode(&node, graph, after ? &after : nullptr, after ? 1 : 0, &parameters);
    return node;
}
int main() {
    int *n, *steps;
    char* words;
    cudaMalloc(&n, sizeof(int));
    cudaMalloc(&steps, sizeof(int));
    cudaMalloc(&words, 16);
    cudaMemcpy(words, "long\0\0\0\0short", 14, cudaMemcpyHostToDevice);
    cudaGraph_t graph, loop, ways[2];
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle again, is_long;
    cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault);
    cudaGraphConditionalHandleCreate(&is_long, graph, 0, 0);
    cudaGraphNode_t last = add_conditional(graph, nullptr, again, cudaGraphCondTypeWhile, 1, &loop);
    add_kernel(loop, nullptr, halve, n, steps, again);
    last = add_kernel(graph, last, compare, (const int*)steps, 10, is_long);
    add_conditional(graph, last, is_long, cudaGraphCondTypeIf, 2, ways);
    add_kernel(ways[0], nullptr, say, (const char*)words);
    add_kernel(ways[1], nullptr, say, (const char*)words + 8);
    cudaGraphExec_t executable;
    printf("%s\n", cudaGetErrorName(cudaGraphInstantiate(&executable, graph, 0)));
    for (int start : {6, 27}) {
        cudaMemcpy(n, &start, sizeof start, cudaMemcpyHostToDevice);
        cudaMemset(steps, 0, sizeof(int));
        cudaGraphLaunch(executable, 0);
        cudaDeviceSynchronize();
        int count = 0;
        cudaMemcpy(&count, steps, sizeof count, cudaMemcpyDeviceToHost);
        printf("%d: %d steps\n", start, count);
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaFree(n);
    cudaFree(steps);
    cudaFree(words);
}
