// What the runtime answers in a row of calls: pools, graphs, launches, managed memory. Each case in a process of its own.
#define FORK_CASES
#include "cases.h"

#include <string>
#include <thread>

void say(const char* what, cudaError_t error) {
    printf("%s %s: %s\n", current_case, what, cudaGetErrorName(error));
    cudaGetLastError();
}
#define SAY(...) say(#__VA_ARGS__, __VA_ARGS__)

__global__ void set(int* p, int value) { *p = value; }
__global__ void wild(int* p) { *reinterpret_cast<int*>(8) = *p; }
__global__ void nothing() {}
__global__ void dynamic_shared(int* p) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) p[blockIdx.x] = s[blockDim.x - 1];
}

// Pools.
void tell_pool(const char* what) {
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    unsigned long long reserved = 0, most_reserved = 0, used = 0, most_used = 0, threshold = 0;
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &most_reserved);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most_used);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    printf("%s %s: reserved %llu %llu used %llu %llu threshold %llu\n", current_case, what, reserved, most_reserved, used,
           most_used, threshold);
}
void use_pool(unsigned long long threshold, bool set_threshold) {
    cudaMemPool_t pool;
    SAY(cudaDeviceGetDefaultMemPool(&pool, 0));
    if (set_threshold) SAY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    tell_pool("begin");
    void *p, *q, *r;
    SAY(cudaMallocAsync(&p, 1000, 0));
    tell_pool("1000");
    SAY(cudaMallocAsync(&q, 3 << 20, 0));
    tell_pool("3 MiB");
    SAY(cudaFreeAsync(p, 0));
    tell_pool("freed 1000");
    SAY(cudaMallocAsync(&r, 1000, 0));
    show("the same place", r == p);
    SAY(cudaFreeAsync(q, 0));
    SAY(cudaFreeAsync(r, 0));
    tell_pool("freed all");
    SAY(cudaStreamSynchronize(0));
    tell_pool("synchronized");
    SAY(cudaMallocAsync(&p, 40 << 20, 0));
    tell_pool("40 MiB");
    SAY(cudaFreeAsync(p, 0));
    SAY(cudaMallocAsync(&q, 40 << 20, 0));
    show("the same place again", q == p);
    SAY(cudaFreeAsync(q, 0));
    SAY(cudaDeviceSynchronize());
    tell_pool("synchronized again");
    SAY(cudaMemPoolTrimTo(pool, 0));
    tell_pool("trimmed");
}
CASE(pool) { use_pool(0, false); }
CASE(pool_keeps_all) { use_pool(~0ull, true); }
CASE(pool_keeps_33_mib) { use_pool(33 << 20, true); }
CASE(malloc_then_async) {
    void *p, *q;
    SAY(cudaMalloc(&p, 4096));
    SAY(cudaFree(p));
    SAY(cudaMallocAsync(&q, 4096, 0));
    show("the same place", p == q);
    SAY(cudaFreeAsync(q, 0));
    SAY(cudaMalloc(&p, 4096));
    SAY(cudaFreeAsync(p, 0));
    SAY(cudaDeviceSynchronize());
    SAY(cudaFree(p));
}
CASE(free_async_twice) {
    void* p;
    SAY(cudaMallocAsync(&p, 4096, 0));
    SAY(cudaFreeAsync(p, 0));
    SAY(cudaFreeAsync(p, 0));
    SAY(cudaFree(p));
    SAY(cudaDeviceSynchronize());
}
CASE(free_of_pool_memory) {
    void* p;
    SAY(cudaMallocAsync(&p, 4096, 0));
    SAY(cudaFree(p));
    tell_pool("freed");
}

// Graphs.
CASE(graphs_after_a_fault) {
    int* p;
    cudaMalloc(&p, 4);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraphNode_t node;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaGraphCreate(&graph, 0);
    cudaMemsetParams parameters{};
    parameters.dst = p, parameters.value = 1, parameters.elementSize = 4, parameters.width = 1, parameters.height = 1;
    cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &parameters);
    SAY(cudaGraphInstantiate(&exec, graph, 0));
    wild<<<1, 1>>>(p);
    SAY(cudaDeviceSynchronize());
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaGraphExecDestroy(exec));
    SAY(cudaGraphDestroy(graph));
    SAY(cudaStreamQuery(stream));
    SAY(cudaStreamDestroy(stream));
    SAY(cudaEventDestroy(event));
    SAY(cudaFree(p));
    SAY(cudaGraphCreate(&graph, 0));
    SAY(cudaStreamCreate(&stream));
    SAY(cudaEventCreate(&event));
    int n = 0;
    SAY(cudaGetDeviceCount(&n));
    SAY(cudaGetDevice(&n));
    SAY(cudaSetDevice(0));
    size_t a, b;
    SAY(cudaMemGetInfo(&a, &b));
    cudaDeviceProp prop;
    SAY(cudaGetDeviceProperties(&prop, 0));
    SAY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    SAY(cudaMallocHost(&p, 4));
    SAY(cudaDriverGetVersion(&n));
    SAY(cudaPeekAtLastError());
    SAY(cudaDeviceReset());
    SAY(cudaMalloc(&p, 4));
    SAY(cudaGetDeviceCount(&n));
}
CASE(instantiate_flags) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    SAY(cudaGraphCreate(&graph, 0));
    SAY(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    for (unsigned long long flags : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 64, 255}) {
        printf("%s %llu: ", current_case, flags);
        const cudaError_t error = cudaGraphInstantiateWithFlags(&exec, graph, flags);
        printf("%s", cudaGetErrorName(error));
        cudaGetLastError();
        if (error == cudaSuccess) {
            unsigned long long got = 77;
            cudaGraphExecGetFlags(exec, &got);
            printf(" %llu %s", got, cudaGetErrorName(cudaGraphLaunch(exec, 0)));
            cudaGetLastError();
            cudaGraphExecDestroy(exec);
        }
        printf("\n");
    }
}
CASE(update_copies) {
    char *a, *b;
    cudaMalloc(&a, 65536);
    cudaMalloc(&b, 65536);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    SAY(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, a, b, 1024, cudaMemcpyDeviceToDevice));
    SAY(cudaGraphInstantiate(&exec, graph, 0));
    cudaMemcpy3DParms flat{}, tall{};
    flat.srcPtr = make_cudaPitchedPtr(a, 1024, 1024, 1);
    flat.dstPtr = make_cudaPitchedPtr(b, 1024, 1024, 1);
    flat.extent = make_cudaExtent(512, 1, 1);
    flat.kind = cudaMemcpyDeviceToDevice;
    tall = flat;
    tall.extent = make_cudaExtent(100, 8, 1);
    SAY(cudaGraphExecMemcpyNodeSetParams(exec, node, &flat));
    SAY(cudaGraphExecMemcpyNodeSetParams(exec, node, &tall));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, node, b, a, 2048, cudaMemcpyDeviceToDevice));
    SAY(cudaGraphMemcpyNodeSetParams(node, &tall));
    cudaGraphExec_t second;
    SAY(cudaGraphInstantiate(&second, graph, 0));
    SAY(cudaGraphExecMemcpyNodeSetParams(second, node, &flat));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(second, node, b, a, 2048, cudaMemcpyDeviceToDevice));
    cudaGraphExecUpdateResultInfo info{};
    SAY(cudaGraphExecUpdate(exec, graph, &info));
    show("result", info.result);
    char host[64];
    SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, node, host, a, 64, cudaMemcpyDeviceToHost));
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaDeviceSynchronize());
}
CASE(captured_copy_3d) {
    cudaPitchedPtr p;
    cudaMalloc3D(&p, make_cudaExtent(100, 10, 4));
    char host[4000];
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = p, copy.srcPos = make_cudaPos(10, 2, 1);
    copy.dstPtr = make_cudaPitchedPtr(host, 100, 100, 10);
    copy.extent = make_cudaExtent(50, 3, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SAY(cudaMemcpy3DAsync(&copy, stream));
    SAY(cudaMemcpy2DAsync(host, 20, p.ptr, p.pitch, 20, 3, cudaMemcpyDeviceToHost, stream));
    SAY(cudaMemcpyAsync(host, p.ptr, 33, cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph;
    SAY(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t nodes[8];
    size_t count = 8;
    SAY(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; ++i) {
        cudaMemcpy3DParms got{};
        SAY(cudaGraphMemcpyNodeGetParams(nodes[i], &got));
        printf("%s node %zu: src %zu %zu %zu at %lld pitch %zu %zu %zu dst %zu %zu %zu pitch %zu %zu %zu extent %zu %zu %zu kind %d\n", current_case, i,
               got.srcPos.x, got.srcPos.y, got.srcPos.z, static_cast<long long>(static_cast<char*>(got.srcPtr.ptr) - static_cast<char*>(p.ptr)), got.srcPtr.pitch, got.srcPtr.xsize, got.srcPtr.ysize,
               got.dstPos.x, got.dstPos.y, got.dstPos.z, got.dstPtr.pitch, got.dstPtr.xsize, got.dstPtr.ysize, got.extent.width, got.extent.height, got.extent.depth, got.kind);
    }
}
CASE(capture_free) {
    void *outside, *pooled, *inside;
    cudaMalloc(&outside, 64);
    cudaMallocAsync(&pooled, 64, 0);
    cudaDeviceSynchronize();
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    SAY(cudaMallocAsync(&inside, 64, stream));
    SAY(cudaFreeAsync(inside, stream));
    SAY(cudaFreeAsync(pooled, stream));
    cudaStreamCaptureStatus status;
    SAY(cudaStreamIsCapturing(stream, &status));
    show("status", status);
    SAY(cudaFreeAsync(outside, stream));
    SAY(cudaStreamIsCapturing(stream, &status));
    show("status", status);
    cudaGraph_t graph = nullptr;
    SAY(cudaStreamEndCapture(stream, &graph));
    show("graph", graph != nullptr);
}
CASE(end_capture_elsewhere) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph = nullptr;
    for (const cudaStreamCaptureMode mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
        printf("%s mode %d\n", current_case, mode);
        SAY(cudaStreamBeginCapture(stream, mode));
        std::thread other([&] { SAY(cudaStreamEndCapture(stream, &graph)); });
        other.join();
        SAY(cudaStreamEndCapture(stream, &graph));
        std::thread third([&] { SAY(cudaStreamEndCapture(stream, &graph)); });
        third.join();
        SAY(cudaStreamEndCapture(stream, &graph));
    }
}

// Launches.
CASE(carveout) {
    for (int percent : {-2, -1, 0, 1, 50, 100, 101, 1000}) {
        printf("%s %d: ", current_case, percent);
        printf("%s ", cudaGetErrorName(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout, percent)));
        cudaGetLastError();
        cudaLaunchConfig_t config{};
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
        attribute.val.sharedMemCarveout = percent;
        config.gridDim = 1, config.blockDim = 1, config.attrs = &attribute, config.numAttrs = 1;
        printf("%s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, nothing)));
        cudaGetLastError();
    }
}
void launch_cluster(unsigned blocks, unsigned cluster, unsigned preferred, bool cooperative) {
    printf("%s %u blocks of %u, %u, %d: ", current_case, blocks, cluster, preferred, cooperative);
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute attributes[3] = {};
    int n = 0;
    if (cluster) {
        attributes[n].id = cudaLaunchAttributeClusterDimension;
        attributes[n].val.clusterDim.x = cluster, attributes[n].val.clusterDim.y = 1, attributes[n++].val.clusterDim.z = 1;
    }
    if (preferred) {
        attributes[n].id = cudaLaunchAttributePreferredClusterDimension;
        attributes[n].val.preferredClusterDim.x = preferred, attributes[n].val.preferredClusterDim.y = 1, attributes[n++].val.preferredClusterDim.z = 1;
    }
    if (cooperative) attributes[n].id = cudaLaunchAttributeCooperative, attributes[n++].val.cooperative = 1;
    config.gridDim = blocks, config.blockDim = 32, config.attrs = attributes, config.numAttrs = n;
    const cudaError_t error = cudaLaunchKernelEx(&config, nothing);
    printf("%s %s\n", cudaGetErrorName(error), cudaGetErrorName(cudaDeviceSynchronize()));
    cudaGetLastError();
}
CASE(clusters) {
    launch_cluster(8, 2, 0, false);
    launch_cluster(8, 2, 0, true);
    launch_cluster(8, 2, 4, false);
    launch_cluster(8, 0, 4, false);
    launch_cluster(8, 4, 2, false);
    launch_cluster(8, 2, 3, false);
    launch_cluster(8, 3, 0, false);
    launch_cluster(8, 2, 16, false);
    launch_cluster(16, 16, 0, false);
    launch_cluster(8, 2, 2, false);
    launch_cluster(8, 8, 0, true);
    launch_cluster(264, 8, 0, true);
    launch_cluster(100000, 8, 0, true);
}
CASE(cooperative) {
    int* p;
    cudaMalloc(&p, 4096);
    void* arguments[] = {&p};
    SAY(cudaLaunchCooperativeKernel((void*)dynamic_shared, dim3(4), dim3(32), arguments, 1000, 0));
    SAY(cudaLaunchCooperativeKernel((void*)dynamic_shared, dim3(4), dim3(32), arguments, 49152, 0));
    SAY(cudaLaunchCooperativeKernel((void*)dynamic_shared, dim3(4), dim3(32), arguments, 50000, 0));
    SAY(cudaLaunchKernel((void*)dynamic_shared, dim3(4), dim3(32), arguments, 50000, 0));
    SAY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    SAY(cudaLaunchCooperativeKernel((void*)dynamic_shared, dim3(4), dim3(32), arguments, 50000, 0));
    SAY(cudaLaunchCooperativeKernel((void*)dynamic_shared, dim3(4), dim3(2000), arguments, 0, 0));
    SAY(cudaLaunchCooperativeKernel((void*)dynamic_shared, dim3(0), dim3(32), arguments, 128, 0));
    SAY(cudaLaunchCooperativeKernel((void*)dynamic_shared, dim3(100000), dim3(32), arguments, 128, 0));
    SAY(cudaDeviceSynchronize());
}

// Memory of the host and managed memory.
CASE(read_only) {
    char* p = static_cast<char*>(aligned_alloc(4096, 8192));
    for (unsigned flags : {0, 1, 2, 4, 8, 3, 15}) {
        const cudaError_t error = cudaHostRegister(p, 8192, flags);
        printf("%s %u: %s", current_case, flags, cudaGetErrorName(error));
        cudaGetLastError();
        if (error == cudaSuccess) {
            unsigned got = 77;
            const cudaError_t asked = cudaHostGetFlags(&got, p);
            printf(" %s %u %s", cudaGetErrorName(asked), got, cudaGetErrorName(cudaHostUnregister(p)));
            cudaGetLastError();
        }
        printf("\n");
    }
}
CASE(host_flags) {
    for (unsigned flags : {0, 1, 2, 4, 7, 8}) {
        void* p = nullptr;
        unsigned got = 77;
        const cudaError_t error = cudaHostAlloc(&p, 100, flags);
        printf("%s %u: %s", current_case, flags, cudaGetErrorName(error));
        const cudaError_t asked = cudaHostGetFlags(&got, p);
        if (error == cudaSuccess) printf(" %s %u", cudaGetErrorName(asked), got);
        printf("\n");
        cudaGetLastError();
    }
}
void tell_range(const char* what, void* p, size_t size) {
    int read_mostly = 77, preferred = 77, last = 77, by[4] = {77, 77, 77, 77};
    cudaMemRangeGetAttribute(&read_mostly, 4, cudaMemRangeAttributeReadMostly, p, size);
    cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, p, size);
    cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation, p, size);
    cudaMemRangeGetAttribute(by, 16, cudaMemRangeAttributeAccessedBy, p, size);
    printf("%s %s: %d %d %d by %d %d %d %d %s\n", current_case, what, read_mostly, preferred, last, by[0], by[1], by[2], by[3],
           cudaGetErrorName(cudaGetLastError()));
}
CASE(managed_advice) {
    char* p;
    SAY(cudaMallocManaged(&p, 8192));
    const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
    tell_range("begin", p, 8192);
    SAY(cudaMemAdvise(p, 8192, cudaMemAdviseSetReadMostly, device));
    SAY(cudaMemAdvise(p, 8192, cudaMemAdviseSetPreferredLocation, device));
    tell_range("preferred", p, 8192);
    SAY(cudaMemAdvise(p, 8192, cudaMemAdviseSetAccessedBy, device));
    SAY(cudaMemAdvise(p, 8192, cudaMemAdviseSetAccessedBy, host));
    tell_range("accessed by", p, 8192);
    SAY(cudaMemAdvise(p, 8192, cudaMemAdviseUnsetAccessedBy, device));
    tell_range("no longer", p, 8192);
    SAY(cudaMemPrefetchAsync(p, 8192, device, 0, 0));
    tell_range("prefetched", p, 8192);
    SAY(cudaMemPrefetchAsync(p, 8192, host, 0, 0));
    tell_range("prefetched back", p, 8192);
}
CASE(accessed_by_host_first) {
    char* p;
    SAY(cudaMallocManaged(&p, 8192));
    SAY(cudaMemAdvise(p, 8192, cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeHost, 0}));
    SAY(cudaMemAdvise(p, 8192, cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeDevice, 0}));
    tell_range("both", p, 8192);
}
CASE(width_and_pitch) {
    char *d, host[4096] = {};
    size_t pitch = 77;
    cudaMalloc(&d, 65536);
    SAY(cudaMallocPitch(&d, &pitch, 4, 0));
    show("pitch", pitch);
    SAY(cudaMallocPitch(&d, &pitch, 0, 4));
    show("pitch", pitch);
    SAY(cudaMemcpy2D(d, 0, host, 4, 4, 1, cudaMemcpyHostToDevice));
    cudaMalloc(&d, 65536);
    SAY(cudaMemcpy2D(d, 0, host, 4, 4, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 0, host, 0, 4, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 4, host, 0, 4, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 0, host, 0, 0, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 0, host, 0, 4, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemset2D(d, 0, 0, 4, 1));
    SAY(cudaMemset2D(d, 0, 0, 4, 2));
    SAY(cudaMemset2D(d, 2, 0, 4, 2));
    SAY(cudaMemset2D(d, 0, 0, 0, 2));
    SAY(cudaMemset2D(d, 0, 0, 4, 0));
    SAY(cudaMemset3D(make_cudaPitchedPtr(d, 0, 4, 1), 0, make_cudaExtent(4, 1, 1)));
    SAY(cudaMemcpy2DAsync(d, 0, host, 4, 4, 1, cudaMemcpyHostToDevice, 0));
    SAY(cudaMemcpy2D(host, 0, d, 4, 4, 1, cudaMemcpyDeviceToHost));
}
CASE(memory_info) {
    size_t free = 0, total = 0, now = 0;
    cudaFree(nullptr);
    cudaMemGetInfo(&free, &total);
    show("total", total);
    show("missing", total - free);
    show("less than total", free < total);
    show("steps of free", free % (2 << 20));
    char* small[3];
    for (char*& p : small) {
        cudaMalloc(&p, 1000);
        cudaMemGetInfo(&now, &total);
        show("taken by 1000", free - now);
    }
    char* large = nullptr;
    cudaMalloc(&large, 3 << 20);
    cudaMemGetInfo(&now, &total);
    show("taken by 3 MiB", free - now);
    cudaFree(large);
    cudaMemGetInfo(&now, &total);
    show("taken after", free - now);
    for (char* p : small) cudaFree(p);
    cudaMemGetInfo(&now, &total);
    show("taken at the end", free - now);
    void* huge = nullptr;
    printf("memory_info 100 GiB: %s\n", cudaGetErrorName(cudaMalloc(&huge, 100ull << 30)));
    cudaMemGetInfo(&now, &total);
    show("taken by 100 GiB", free - now);
    printf("memory_info set: %s\n", cudaGetErrorName(cudaMemset(static_cast<char*>(huge) + (99ull << 30), 7, 1 << 20)));
    char back[4] = {};
    cudaMemcpy(back, static_cast<char*>(huge) + (99ull << 30) + 5, 4, cudaMemcpyDeviceToHost);
    show("back", back, 4);
    void* more = nullptr;
    printf("memory_info another: %s\n", cudaGetErrorName(cudaMalloc(&more, 100ull << 30)));
    cudaGetLastError();
    cudaFree(huge);
}
CASE(flags_after_reset) {
    unsigned flags = 77;
    SAY(cudaGetDeviceFlags(&flags));
    show("flags", flags);
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    SAY(cudaGetDeviceFlags(&flags));
    show("flags", flags);
    SAY(cudaFree(nullptr));
    SAY(cudaGetDeviceFlags(&flags));
    show("flags", flags);
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    SAY(cudaGetDeviceFlags(&flags));
    show("flags", flags);
    SAY(cudaDeviceReset());
    SAY(cudaGetDeviceFlags(&flags));
    show("flags", flags);
    SAY(cudaFree(nullptr));
    SAY(cudaGetDeviceFlags(&flags));
    show("flags", flags);
}
CASE(limits_after_reset) {
    SAY(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    SAY(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 10000000));
    SAY(cudaDeviceReset());
    size_t value = 0;
    SAY(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    show("stack", value);
    SAY(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
    show("printf", value);
}
__managed__ int common = 5;
__device__ int own = 6;
CASE(managed_in_a_child) {
    // The parent, here, has used the device.
    show("begins", common);
    set<<<1, 1>>>(&common, 9);
    SAY(cudaDeviceSynchronize());
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        void* p = nullptr;
        printf("%s child: %s\n", current_case, cudaGetErrorName(cudaMalloc(&p, 4)));
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    show("status", status);
    show("stays", common);
}
CASE(streams_and_events) {
    cudaStream_t stream;
    cudaEvent_t a, b;
    float ms = 0;
    SAY(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
    int priority = 77;
    SAY(cudaStreamGetPriority(stream, &priority));
    show("priority", priority);
    SAY(cudaStreamCreateWithPriority(&stream, 5, 0));
    SAY(cudaEventCreate(&a));
    SAY(cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
    SAY(cudaEventElapsedTime(&ms, a, a));
    SAY(cudaEventRecord(a));
    SAY(cudaEventRecord(b));
    SAY(cudaDeviceSynchronize());
    SAY(cudaEventElapsedTime(&ms, a, b));
    SAY(cudaEventElapsedTime(&ms, a, a));
    show("no time", ms == 0);
    SAY(cudaEventCreateWithFlags(&b, 77));
    SAY(cudaEventQuery(a));
    SAY(cudaStreamWaitEvent(stream, a, 5));
}
