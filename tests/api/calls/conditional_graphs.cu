// Conditional nodes: what handles, nodes and bodies are refused for, which body runs how often, and what the value of a
// condition is at each launch.
// nvcc: -rdc=true
#include "calls.h"

__global__ void put(cudaGraphConditionalHandle handle, unsigned value) {
    cudaGraphSetConditional(handle, value);
}
__global__ void count_down(int* left, int* runs, cudaGraphConditionalHandle handle) {
    ++*runs;
    cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void put_twice(cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, 1);
    cudaGraphSetConditional(handle, 0);
}

static cudaError_t add_conditional(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   cudaGraphConditionalHandle handle, int type, unsigned size, cudaGraph_t* bodies) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = (cudaGraphConditionalNodeType)type;
    p.conditional.size = size;
    cudaError_t e = cudaGraphAddNode(node, graph, after, nullptr, after ? 1 : 0, &p);
    if (e == cudaSuccess && bodies)
        for (unsigned i = 0; i < size; ++i) bodies[i] = p.conditional.phGraph_out[i];
    return e;
}
template <class... Values>
static cudaError_t add_kernel(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                              void (*kernel)(Values...), Values... values) {
    void* arguments[] = {&values...};
    cudaKernelNodeParams p = {};
    p.func = (void*)kernel;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    return cudaGraphAddKernelNode(node, graph, after, after ? 1 : 0, &p);
}
static int counted(int* memory) {
    int value = -1;
    cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDefault);
    return value;
}
static cudaGraphExec_t made(cudaGraph_t graph) {
    cudaGraphExec_t executable = nullptr;
    show("instantiate", cudaGraphInstantiate(&executable, graph, 0));
    return executable;
}

static void refused() {
    puts("-- refused");
    cudaGraph_t g, other, body[4] = {};
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&other, 0);
    cudaGraphConditionalHandle h = 0, of_other = 0, second = 0;
    P(cudaGraphConditionalHandleCreate(nullptr, g, 0, 0));
    P(cudaGraphConditionalHandleCreate(&h, nullptr, 0, 0));
    P(cudaGraphConditionalHandleCreate(&h, g, 0, 2));
    P(cudaGraphConditionalHandleCreate(&h, g, 7, 0));
    P(cudaGraphConditionalHandleCreate(&of_other, other, 0, cudaGraphCondAssignDefault));
    cudaGraphNode_t n = nullptr, k = nullptr;
    P(add_conditional(&n, g, nullptr, 0, cudaGraphCondTypeIf, 1, body));
    P(add_conditional(&n, g, nullptr, 12345, cudaGraphCondTypeIf, 1, body));
    P(add_conditional(&n, g, nullptr, of_other, cudaGraphCondTypeIf, 1, body));
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeIf, 0, body));
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeIf, 3, body));
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeWhile, 2, body));
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeSwitch, 0, body));
    P(add_conditional(&n, g, nullptr, h, 3, 1, body));
    P(add_conditional(nullptr, g, nullptr, h, cudaGraphCondTypeIf, 1, body));
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeIf, 1, body));
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    P(cudaGraphNodeGetType(n, &type));
    V("%d", (int)type);
    P(add_conditional(&k, g, nullptr, h, cudaGraphCondTypeIf, 1, nullptr));
    P(cudaGraphDestroy(body[0]));
    cudaGraph_t clone = nullptr;
    P(cudaGraphClone(&clone, g));
    P(cudaGraphAddChildGraphNode(&k, other, nullptr, 0, g));
    cudaGraphExec_t x = nullptr;
    P(cudaGraphInstantiate(&x, g, 0));
    P(cudaGraphLaunch(x, 0));
    P(cudaDeviceSynchronize());
    P(cudaGraphExecDestroy(x));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    P(cudaGraphNodeSetParams(n, &p));
    P(cudaGraphConditionalHandleCreate(&second, g, 0, 0));
    cudaGraphInstantiateParams q = {};
    P(cudaGraphInstantiateWithParams(&x, g, &q));
    V("%d", (int)q.result_out);
    P(cudaGraphDestroyNode(n));
    P(cudaGraphInstantiate(&x, g, 0));
    P(cudaGraphDestroy(g));
    P(cudaGraphDestroy(other));
}

static void hostile_bodies() {
    puts("-- what a body may hold");
    cudaGraph_t g, body;
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandle h = 0;
    cudaGraphConditionalHandleCreate(&h, g, 0, cudaGraphCondAssignDefault);
    cudaGraphNode_t n, k;
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeIf, 1, &body));
    cudaHostNodeParams host = {hostfn, (void*)"in a body"};
    P(cudaGraphAddHostNode(&k, body, nullptr, 0, &host));
    cudaEvent_t event;
    cudaEventCreate(&event);
    P(cudaGraphAddEventRecordNode(&k, body, nullptr, 0, event));
    P(cudaGraphAddEventWaitNode(&k, body, nullptr, 0, event));
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = 1000;
    P(cudaGraphAddMemAllocNode(&k, body, nullptr, 0, &p));
    P(cudaGraphAddEmptyNode(&k, body, nullptr, 0));
    int pageable[2] = {};
    int* d;
    cudaMalloc(&d, sizeof *d);
    P(cudaGraphAddMemcpyNode1D(&k, body, nullptr, 0, d, pageable, sizeof(int), cudaMemcpyDefault));
    cudaGraph_t child;
    cudaGraphCreate(&child, 0);
    P(cudaGraphAddChildGraphNode(&k, body, nullptr, 0, child));
    made(g);
}

static void branches() {
    puts("-- if, else, switch");
    int* runs;
    cudaMallocManaged(&runs, 8 * sizeof(int));
    for (unsigned with_else = 1; with_else <= 2; ++with_else)
        for (unsigned value : {0u, 1u, 5u}) {
            memset(runs, 0, 8 * sizeof(int));
            cudaGraph_t g, body[2];
            cudaGraphCreate(&g, 0);
            cudaGraphConditionalHandle h = 0;
            cudaGraphConditionalHandleCreate(&h, g, 0, 0);
            cudaGraphNode_t k, n, b;
            add_kernel(&k, g, nullptr, put, h, value);
            show("add if", add_conditional(&n, g, &k, h, cudaGraphCondTypeIf, with_else, body));
            for (unsigned i = 0; i < with_else; ++i) add_kernel(&b, body[i], nullptr, add, runs + i, 1);
            cudaGraphExec_t x = made(g);
            show("launch", cudaGraphLaunch(x, 0));
            show("wait", cudaDeviceSynchronize());
            printf("value %u of %u bodies: ran %d %d\n", value, with_else, runs[0], runs[1]);
        }
    for (unsigned value : {0u, 2u, 3u, ~0u}) {
        memset(runs, 0, 8 * sizeof(int));
        cudaGraph_t g, body[3];
        cudaGraphCreate(&g, 0);
        cudaGraphConditionalHandle h = 0;
        cudaGraphConditionalHandleCreate(&h, g, value, cudaGraphCondAssignDefault);
        cudaGraphNode_t n, b;
        show("add switch", add_conditional(&n, g, nullptr, h, cudaGraphCondTypeSwitch, 3, body));
        for (unsigned i = 0; i < 3; ++i) add_kernel(&b, body[i], nullptr, add, runs + i, 1);
        cudaGraphExec_t x = made(g);
        show("launch", cudaGraphLaunch(x, 0));
        show("wait", cudaDeviceSynchronize());
        printf("switch of %u: ran %d %d %d\n", value, runs[0], runs[1], runs[2]);
    }
}

static void loops() {
    puts("-- while");
    int *left, *runs;
    cudaMallocManaged(&left, sizeof(int));
    cudaMallocManaged(&runs, 4 * sizeof(int));
    memset(runs, 0, 4 * sizeof(int));
    cudaGraph_t g, body;
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandle h = 0;
    cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    cudaGraphNode_t n, k, last;
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeWhile, 1, &body));
    P(add_kernel(&k, body, nullptr, count_down, left, runs, h));
    P(add_kernel(&last, g, &n, add, runs + 1, 1));
    cudaGraphExec_t x = made(g);
    for (int launch = 0; launch < 2; ++launch) {
        *left = 5;
        show("launch", cudaGraphLaunch(x, 0));
        show("wait", cudaDeviceSynchronize());
        printf("launch %d: body ran %d, after it %d\n", launch, runs[0], runs[1]);
    }
    // Another graph of the same structure: handles' defaults change with it.
    cudaGraph_t g2, body2;
    cudaGraphCreate(&g2, 0);
    cudaGraphConditionalHandle h2 = 0;
    cudaGraphConditionalHandleCreate(&h2, g2, 0, cudaGraphCondAssignDefault);
    add_conditional(&n, g2, nullptr, h2, cudaGraphCondTypeWhile, 1, &body2);
    add_kernel(&k, body2, nullptr, count_down, left, runs, h2);
    add_kernel(&last, g2, &n, add, runs + 1, 1);
    cudaGraphExecUpdateResultInfo info;
    P(cudaGraphExecUpdate(x, g2, &info));
    V("%d", (int)info.result);
    *left = 5;
    P(cudaGraphLaunch(x, 0));
    P(cudaDeviceSynchronize());
    V("%d", runs[0]);
    P(cudaGraphExecDestroy(x));
}

static void nested() {
    puts("-- nested, and values from launch to launch");
    int *left, *runs;
    cudaMallocManaged(&left, sizeof(int));
    cudaMallocManaged(&runs, 4 * sizeof(int));
    memset(runs, 0, 4 * sizeof(int));
    cudaGraph_t g, body, inner, child;
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandle h = 0, in_body = 0;
    cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    cudaGraphNode_t n, k, c, z;
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeWhile, 1, &body));
    P(cudaGraphConditionalHandleCreate(&in_body, body, 1, cudaGraphCondAssignDefault));
    P(add_kernel(&k, body, nullptr, count_down, left, runs, h));
    P(add_conditional(&c, body, &k, in_body, cudaGraphCondTypeIf, 1, &inner));
    P(add_kernel(&z, inner, nullptr, add, runs + 1, 1));
    P(add_kernel(&z, body, &c, put, in_body, 0u));
    cudaGraphExec_t x = made(g);
    *left = 4;
    P(cudaGraphLaunch(x, 0));
    P(cudaDeviceSynchronize());
    V("%d", runs[0]);
    V("%d", runs[1]);  // whether the default is set once a launch or once a run of the body

    // A kernel that sets a condition after its node: what the next launch finds.
    cudaGraph_t g3, body3;
    cudaGraphCreate(&g3, 0);
    cudaGraphConditionalHandle h3 = 0;
    cudaGraphConditionalHandleCreate(&h3, g3, 0, 0);
    memset(runs, 0, 4 * sizeof(int));
    add_conditional(&n, g3, nullptr, h3, cudaGraphCondTypeIf, 1, &body3);
    add_kernel(&z, body3, nullptr, add, runs, 1);
    add_kernel(&z, g3, &n, put, h3, 1u);
    cudaGraphExec_t x3 = made(g3);
    for (int i = 0; i < 2; ++i) {
        P(cudaGraphLaunch(x3, 0));
        P(cudaDeviceSynchronize());
        V("%d", runs[0]);
    }
    // The last of two stores counts; a child graph in a body runs.
    cudaGraph_t g4, body4;
    cudaGraphCreate(&g4, 0);
    cudaGraphCreate(&child, 0);
    add_kernel(&z, child, nullptr, add, runs + 2, 1);
    cudaGraphConditionalHandle h4 = 0;
    cudaGraphConditionalHandleCreate(&h4, g4, 1, cudaGraphCondAssignDefault);
    add_conditional(&n, g4, nullptr, h4, cudaGraphCondTypeWhile, 1, &body4);
    P(cudaGraphAddChildGraphNode(&c, body4, nullptr, 0, child));
    P(add_kernel(&z, body4, &c, put_twice, h4));
    cudaGraphExec_t x4 = made(g4);
    P(cudaGraphLaunch(x4, 0));
    P(cudaDeviceSynchronize());
    V("%d", runs[2]);
}

static void captured() {
    puts("-- captured");
    int *left, *runs;
    cudaMallocManaged(&left, sizeof(int));
    cudaMallocManaged(&runs, sizeof(int));
    *runs = 0;
    *left = 3;
    cudaStream_t s, inside;
    cudaStreamCreate(&s);
    cudaStreamCreate(&inside);
    P(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t* before = nullptr;
    size_t count = 0;
    cudaGraph_t g = nullptr, body;
    P(cudaStreamGetCaptureInfo(s, &status, nullptr, &g, &before, nullptr, &count));
    cudaGraphConditionalHandle h = 0;
    P(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t n = nullptr;
    P(add_conditional(&n, g, nullptr, h, cudaGraphCondTypeWhile, 1, &body));
    P(cudaStreamUpdateCaptureDependencies(s, &n, nullptr, 1, cudaStreamSetCaptureDependencies));
    P(cudaStreamBeginCaptureToGraph(inside, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    count_down<<<1, 1, 0, inside>>>(left, runs, h);
    P(cudaStreamEndCapture(inside, nullptr));
    P(cudaStreamEndCapture(s, &g));
    cudaGraphExec_t x = made(g);
    P(cudaGraphLaunch(x, s));
    P(cudaStreamSynchronize(s));
    V("%d", *runs);
}

int main() {
    refused();
    branches();
    loops();
    nested();
    captured();
    hostile_bodies();
    return 0;
}
