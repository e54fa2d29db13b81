// Memory of graphs as the device counts it: what is used and reserved after each step, high marks, and trimming.
#include "calls.h"

static void counts(const char* when) {
    printf("%s:", when);
    for (int a = 0; a < 4; ++a) {
        size_t v = 1;
        cudaError_t e = cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v);
        printf(" %d %zu", (int)e, v);
    }
    printf("\n");
    fflush(stdout);
}

static cudaGraphNode_t allocation(cudaGraph_t g, cudaGraphNode_t after, size_t bytes, void** pointer) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = bytes;
    cudaGraphNode_t n = nullptr;
    show("add allocation", cudaGraphAddMemAllocNode(&n, g, after ? &after : nullptr, after ? 1 : 0, &p));
    *pointer = p.dptr;
    return n;
}

int main() {
    counts("at first");
    cudaGraph_t freeing, leaving;
    cudaGraphCreate(&freeing, 0);
    cudaGraphCreate(&leaving, 0);
    void *a, *b, *c;
    cudaGraphNode_t na = allocation(freeing, nullptr, 1000, &a), f;
    P(cudaGraphAddMemFreeNode(&f, freeing, &na, 1, a));
    allocation(leaving, nullptr, 40 << 20, &b);
    counts("nodes added");
    cudaGraphExec_t x, y;
    P(cudaGraphInstantiate(&x, freeing, 0));
    counts("instantiated");
    P(cudaGraphLaunch(x, 0));
    P(cudaDeviceSynchronize());
    counts("launched, freed inside");
    P(cudaGraphLaunch(x, 0));
    P(cudaDeviceSynchronize());
    counts("again");
    P(cudaDeviceGraphMemTrim(0));
    counts("trimmed");
    P(cudaGraphLaunch(x, 0));
    P(cudaDeviceSynchronize());
    counts("launched after the trim");
    P(cudaGraphInstantiate(&y, leaving, 0));
    P(cudaGraphLaunch(y, 0));
    P(cudaDeviceSynchronize());
    counts("40 MiB left allocated");
    P(cudaDeviceGraphMemTrim(0));
    counts("trimmed while allocated");
    P(cudaGraphLaunch(y, 0));
    P(cudaFreeAsync(b, 0));
    P(cudaDeviceSynchronize());
    counts("freed in a stream");
    P(cudaFreeAsync(b, 0));
    P(cudaFree(b));
    size_t zero = 0, one = 1;
    P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
    P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &one));
    counts("high marks reset");
    P(cudaGraphLaunch(y, 0));
    P(cudaDeviceSynchronize());
    P(cudaFree(b));
    counts("freed by cudaFree");
    P(cudaGraphExecDestroy(y));
    counts("one executable destroyed");
    P(cudaGraphDestroy(leaving));
    counts("its graph destroyed");
    P(cudaGraphExecDestroy(x));
    P(cudaGraphDestroy(freeing));
    counts("all destroyed");
    P(cudaDeviceGraphMemTrim(0));
    counts("trimmed at the end");
    // Memory that outlives its graph.
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    allocation(g, nullptr, 1000, &c);
    P(cudaGraphInstantiate(&x, g, 0));
    P(cudaGraphLaunch(x, 0));
    P(cudaDeviceSynchronize());
    P(cudaGraphExecDestroy(x));
    P(cudaGraphDestroy(g));
    counts("a graph destroyed before its memory");
    P(cudaMemset(c, 0, 1000));
    P(cudaFree(c));
    counts("and then freed");
    // Automatic frees at a launch.
    cudaGraphCreate(&g, 0);
    allocation(g, nullptr, 1000, &c);
    P(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    P(cudaGraphLaunch(x, 0));
    P(cudaGraphLaunch(x, 0));
    P(cudaDeviceSynchronize());
    counts("freed by the next launch");
    P(cudaDeviceGraphMemTrim(7));
    P(cudaDeviceGetGraphMemAttribute(7, cudaGraphMemAttrUsedMemCurrent, &zero));
    P(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, nullptr));
    LAST();
}
