// Document 5: the same window as an attribute of one kernel node of a graph. Added by the reader: the graph, the kernel
// and a check of its result after the graph has run.
#include <stdio.h>

__global__ void increment(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

int main() {
    int n = 1 << 18;
    size_t num_bytes = n * sizeof(float);
    float *ptr;
    cudaMalloc(&ptr, num_bytes);
    cudaMemset(ptr, 0, num_bytes);

    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t node;
    void *arguments[] = {&ptr, &n};
    cudaKernelNodeParams parameters = {};
    parameters.func = (void *)increment;
    parameters.gridDim = dim3(n / 256);
    parameters.blockDim = dim3(256);
    parameters.kernelParams = arguments;
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters);

    cudaKernelNodeAttrValue node_attribute;
    node_attribute.accessPolicyWindow.base_ptr  = reinterpret_cast<void*>(ptr);
    node_attribute.accessPolicyWindow.num_bytes = num_bytes;
    node_attribute.accessPolicyWindow.hitRatio  = 0.6;
    node_attribute.accessPolicyWindow.hitProp   = cudaAccessPropertyPersisting;
    node_attribute.accessPolicyWindow.missProp  = cudaAccessPropertyStreaming;

    cudaError_t error =
        cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributeAccessPolicyWindow, &node_attribute);

    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, 0);
    float last = 0;
    cudaMemcpy(&last, ptr + n - 1, sizeof(last), cudaMemcpyDeviceToHost);
    printf("%s, after three launches %.0f\n", cudaGetErrorName(error), last);

    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaFree(ptr);
    return !(error == cudaSuccess && last == 3);
}
