// Set-aside, windows and resets of the L2 cache: what is rounded, clamped and refused, and where a window goes.
#include "calls.h"

static void window_of(const char* where, cudaError_t e, const cudaAccessPolicyWindow& w) {
    printf("%s -> %d bytes %zu ratio %g hit %d miss %d\n", where, (int)e, w.num_bytes, w.hitRatio, (int)w.hitProp,
           (int)w.missProp);
    fflush(stdout);
}

int main() {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    printf("l2 %d persisting %d window %d\n", prop.l2CacheSize, prop.persistingL2CacheMaxSize,
           prop.accessPolicyMaxWindowSize);
    size_t v = 0;
    P(cudaDeviceGetLimit(&v, cudaLimitPersistingL2CacheSize));
    V("%zu", v);
    for (size_t ask : {(size_t)0, (size_t)1, (size_t)16384, (size_t)3932160, (size_t)3932161, (size_t)7864319,
                       (size_t)39321599, (size_t)39321600, (size_t)39321601, SIZE_MAX}) {
        cudaError_t e = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, ask);
        cudaDeviceGetLimit(&v, cudaLimitPersistingL2CacheSize);
        printf("set aside %zu -> %d now %zu\n", ask, (int)e, v);
    }
    for (size_t ask : {(size_t)0, (size_t)1, (size_t)32, (size_t)100, (size_t)128, (size_t)129}) {
        cudaError_t e = cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, ask);
        cudaDeviceGetLimit(&v, cudaLimitMaxL2FetchGranularity);
        printf("granularity %zu -> %d now %zu\n", ask, (int)e, v);
    }
    LAST();
    int* d;
    cudaMalloc(&d, 1 << 20);
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamAttrValue a = {};
    window_of("fresh", cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &a), a.accessPolicyWindow);
    for (size_t bytes : {(size_t)0, (size_t)1, (size_t)1 << 20, (size_t)134217728, (size_t)134217729, SIZE_MAX})
        for (float ratio : {0.0f, 0.6f, 1.0f, 1.0001f, -0.0f})
            for (int hit : {0, 1, 2, 3, -1})
                for (int miss : {0, 1, 2, 7}) {
                    if (bytes != (1 << 20) && (ratio != 0.6f || hit > 2 || hit < 0 || miss > 2)) continue;
                    a = {};
                    a.accessPolicyWindow = {d, bytes, ratio, (cudaAccessProperty)hit, (cudaAccessProperty)miss};
                    cudaError_t e = cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &a);
                    a = {};
                    cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &a);
                    printf("%zu %g %d %d ", bytes, ratio, hit, miss);
                    window_of("now", e, a.accessPolicyWindow);
                }
    LAST();
    a = {};
    a.accessPolicyWindow = {d, 4096, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
    P(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &a));
    P(cudaStreamCopyAttributes(t, s));
    a = {};
    window_of("copied", cudaStreamGetAttribute(t, cudaStreamAttributeAccessPolicyWindow, &a), a.accessPolicyWindow);
    // What a captured kernel takes over from its stream.
    cudaGraph_t g;
    P(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    set<<<1, 1, 0, s>>>(d, 1);
    P(cudaStreamEndCapture(s, &g));
    cudaGraphNode_t n;
    size_t count = 1;
    P(cudaGraphGetNodes(g, &n, &count));
    cudaKernelNodeAttrValue k = {};
    window_of("captured", cudaGraphKernelNodeGetAttribute(n, cudaKernelNodeAttributeAccessPolicyWindow, &k),
              k.accessPolicyWindow);
    k = {};
    P(cudaGraphKernelNodeGetAttribute(n, cudaLaunchAttributePriority, &k));
    k = {};
    P(cudaGraphKernelNodeSetAttribute(n, cudaKernelNodeAttributeAccessPolicyWindow, &k));
    window_of("emptied", cudaGraphKernelNodeGetAttribute(n, cudaKernelNodeAttributeAccessPolicyWindow, &k),
              k.accessPolicyWindow);
    for (int bad = 0; bad < 4; ++bad) {
        k = {};
        k.accessPolicyWindow = {d, 4096, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
        if (bad == 1) k.accessPolicyWindow.num_bytes = 134217729;
        if (bad == 2) k.accessPolicyWindow.hitRatio = 2;
        if (bad == 3) k.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
        P(cudaGraphKernelNodeSetAttribute(n, cudaKernelNodeAttributeAccessPolicyWindow, &k));
    }
    cudaGraphExec_t x;
    P(cudaGraphInstantiate(&x, g, 0));
    P(cudaGraphLaunch(x, s));
    P(cudaCtxResetPersistingL2Cache());
    P(cudaStreamSynchronize(s));
    LAST();
    // At a launch.
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute at = {};
    c.gridDim = c.blockDim = dim3(1);
    c.stream = s;
    c.attrs = &at;
    c.numAttrs = 1;
    at.id = cudaLaunchAttributeAccessPolicyWindow;
    at.val.accessPolicyWindow = {d, 4096, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
    P(cudaLaunchKernelExC(&c, (void*)nop, nullptr));
    at.val.accessPolicyWindow.hitRatio = -1;
    P(cudaLaunchKernelExC(&c, (void*)nop, nullptr));
    at.val.accessPolicyWindow.hitRatio = 1;
    at.val.accessPolicyWindow.num_bytes = SIZE_MAX;
    P(cudaLaunchKernelExC(&c, (void*)nop, nullptr));
    LAST();
    P(cudaDeviceSynchronize());
}
