// Calls while a stream is being captured, in each mode, and mistakes with captures.
#include "calls.h"

int main() {
    int *d, *e, h = 0, *hp, *m;
    cudaMalloc(&d, 64);
    cudaMalloc(&e, 64);
    cudaMallocHost(&hp, 64);
    cudaMallocManaged(&m, 4096);
    int* u;
    void* reg = aligned_alloc(4096, 8192);
    cudaStream_t other, t;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEvent_t ev, old;
    cudaEventCreate(&ev);
    cudaEventCreate(&old);
    cudaEventRecord(old, other);
    cudaStreamSynchronize(other);
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &f, 16);
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    size_t n = 0, total = 0;
    int i = 0;
    cudaFuncAttributes fa;
    cudaPointerAttributes pa;
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    cudaGraphExec_t x;
    cudaGraphInstantiate(&x, g, 0);
    for (cudaStreamCaptureMode mode :
         {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
        C(mode, cudaMalloc(&u, 4));
        C(mode, cudaFree(nullptr));
        {
            cudaMalloc(&u, 4);
            C(mode, cudaFree(u));
            cudaFree(u);
            cudaGetLastError();
        }
        C(mode, cudaMallocHost(&u, 4));
        C(mode, cudaFreeHost(nullptr));
        C(mode, cudaHostAlloc(&u, 4, 0));
        C(mode, cudaMallocManaged(&u, 4));
        C(mode, cudaHostRegister(reg, 4096, 0));
        cudaHostRegister(reg, 4096, 0);
        cudaGetLastError();
        C(mode, cudaHostUnregister(reg));
        cudaHostUnregister(reg);
        cudaGetLastError();
        {
            cudaArray_t b;
            C(mode, cudaMallocArray(&b, &f, 4));
        }
        C(mode, cudaFreeArray(nullptr));
        C(mode, cudaDeviceSynchronize());
        C(mode, cudaStreamSynchronize(s));
        C(mode, cudaStreamSynchronize(other));
        C(mode, cudaStreamSynchronize(0));
        C(mode, cudaStreamQuery(s));
        C(mode, cudaStreamQuery(other));
        C(mode, cudaStreamQuery(0));
        C(mode, cudaEventQuery(old));
        C(mode, cudaEventSynchronize(old));
        C(mode, (cudaEventRecord(ev, s), cudaEventQuery(ev)));
        C(mode, (cudaEventRecord(ev, s), cudaEventSynchronize(ev)));
        C(mode, (cudaEventRecord(ev, s), cudaEventElapsedTime((float*)&h, ev, ev)));
        C(mode, cudaEventRecord(ev, 0));
        C(mode, cudaEventRecord(ev, other));
        C(mode, cudaStreamWaitEvent(s, old, 0));
        C(mode, cudaStreamWaitEvent(s, old, cudaEventWaitExternal));
        C(mode, cudaEventRecordWithFlags(ev, s, cudaEventRecordExternal));
        C(mode, (cudaEventRecord(ev, s), cudaStreamWaitEvent(0, ev, 0)));
        C(mode, (cudaEventRecord(ev, s), cudaStreamWaitEvent(other, ev, 0)));
        C(mode, cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice));
        C(mode, cudaMemcpy(d, e, 4, cudaMemcpyDeviceToDevice));
        C(mode, cudaMemset(d, 0, 4));
        C(mode, cudaMemcpyToSymbol(var, &h, 4));
        C(mode, cudaMemcpy(&h, &i, 4, cudaMemcpyHostToHost));
        C(mode, cudaMemcpyAsync(d, &h, 4, cudaMemcpyHostToDevice, s));
        C(mode, cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, s));
        C(mode, cudaMemcpyAsync(d, d, 0, cudaMemcpyDefault, s));
        C(mode, cudaMemcpyAsync(&h, &i, 4, cudaMemcpyHostToHost, s));
        C(mode, cudaMemcpyAsync(d, e, 4, cudaMemcpyDeviceToDevice, 0));
        C(mode, cudaMemcpyAsync(d, e, 4, cudaMemcpyDeviceToDevice, other));
        C(mode, cudaMemsetAsync(d, 0, 4, s));
        C(mode, cudaMemsetAsync(d, 0, 4, 0));
        C(mode, cudaMemcpyToSymbolAsync(var, &h, 4, 0, cudaMemcpyHostToDevice, s));
        C(mode, (nop<<<1, 1, 0, s>>>(), cudaGetLastError()));
        C(mode, (nop<<<1, 1>>>(), cudaGetLastError()));
        C(mode, (nop<<<1, 1, 0, other>>>(), cudaGetLastError()));
        C(mode, (nop<<<1, 2048, 0, s>>>(), cudaGetLastError()));
        C(mode, cudaLaunchHostFunc(s, hostfn, (void*)"x"));
        C(mode, cudaStreamAddCallback(s, callback, (void*)"x", 0));
        C(mode, cudaMemPrefetchAsync(m, 4096, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, s));
        C(mode, cudaMallocAsync((void**)&u, 4, s));
        C(mode, (cudaMallocAsync((void**)&u, 4, s), cudaFreeAsync(u, s)));
        C(mode, cudaFreeAsync(d, s));
        C(mode, cudaStreamAttachMemAsync(s, m, 0, cudaMemAttachGlobal));
        C(mode, cudaMemPoolTrimTo(pool, 0));
        C(mode, cudaMallocAsync((void**)&u, 4, other));
        C(mode, cudaStreamCreate(&t));
        {
            cudaStreamCreate(&t);
            C(mode, cudaStreamDestroy(t));
            cudaGetLastError();
        }
        {
            cudaEvent_t v;
            C(mode, cudaEventCreate(&v));
            cudaEventCreate(&v);
            C(mode, cudaEventDestroy(v));
            cudaGetLastError();
        }
        C(mode, cudaStreamBeginCapture(s, mode));
        C(mode, cudaStreamBeginCapture(0, mode));
        {
            cudaGraph_t k;
            C(mode, cudaStreamEndCapture(other, &k));
            C(mode, cudaStreamEndCapture(0, &k));
        }
        C(mode, cudaDeviceSetLimit(cudaLimitStackSize, 2048));
        C(mode, cudaDeviceGetLimit(&n, cudaLimitStackSize));
        C(mode, cudaMemGetInfo(&n, &total));
        C(mode, cudaFuncGetAttributes(&fa, nop));
        C(mode, cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
        C(mode, cudaPointerGetAttributes(&pa, d));
        C(mode, cudaCtxResetPersistingL2Cache());
        C(mode, cudaGetSymbolAddress((void**)&u, var));
        C(mode, cudaSetDevice(0));
        C(mode, cudaGetDevice(&i));
        C(mode, cudaFree((void*)8));
        C(mode, cudaGraphLaunch(x, s));
        C(mode, cudaGraphLaunch(x, other));
        C(mode, cudaGraphLaunch(x, 0));
        C(mode, cudaGraphUpload(x, s));
        {
            cudaGraphExec_t y;
            C(mode, cudaGraphInstantiate(&y, g, 0));
        }
        C(mode, cudaStreamGetPriority(s, &i));
        C(mode, cudaStreamIsCapturing(0, (cudaStreamCaptureStatus*)&i));
        C(mode, cudaStreamCopyAttributes(s, other));
        C(mode, cudaMemAdvise(m, 4096, cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0}));
    }
    CN(cudaStreamCaptureModeGlobal, (nop<<<1, 1>>>(), cudaGetLastError()));
    CN(cudaStreamCaptureModeGlobal, cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice));
    CN(cudaStreamCaptureModeGlobal, cudaMemset(d, 0, 4));
    CN(cudaStreamCaptureModeRelaxed, cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice));
    CN(cudaStreamCaptureModeRelaxed, cudaDeviceSynchronize());
    CN(cudaStreamCaptureModeRelaxed, cudaStreamSynchronize(0));
    CN(cudaStreamCaptureModeRelaxed, cudaMalloc(&u, 4));
    CN(cudaStreamCaptureModeGlobal, cudaEventRecord(ev, 0));
    CN(cudaStreamCaptureModeGlobal, cudaStreamSynchronize(0));
    CN(cudaStreamCaptureModeGlobal, cudaStreamQuery(0));
    cudaStreamCaptureMode md = (cudaStreamCaptureMode)9;
    P(cudaThreadExchangeStreamCaptureMode(&md));
    P(cudaStreamBeginCapture(other, (cudaStreamCaptureMode)9));
    P(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    P(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    P(cudaStreamEndCapture(other, nullptr));
    cudaGraph_t k;
    P(cudaStreamEndCapture(other, &k));
    LAST();
    P(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    P(cudaStreamEndCapture(cudaStreamPerThread, &k));
    cudaStream_t s;
    cudaStreamCreate(&s);
    P(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    P(cudaStreamDestroy(s));
    P(cudaMalloc(&u, 4));
    LAST();
    P(cudaDeviceSynchronize());
    cudaStream_t s1, s2;
    cudaStreamCreate(&s1);
    cudaStreamCreate(&s2);
    P(cudaStreamBeginCapture(s1, cudaStreamCaptureModeRelaxed));
    cudaEventRecord(ev, s1);
    P(cudaStreamWaitEvent(s2, ev, 0));
    P(cudaStreamEndCapture(s2, &k));
    P(cudaStreamEndCapture(s1, &k));
    V("%d", k != nullptr);
    P(cudaStreamBeginCapture(s1, cudaStreamCaptureModeRelaxed));
    P(cudaStreamBeginCapture(s2, cudaStreamCaptureModeRelaxed));
    cudaEventRecord(ev, s1);
    P(cudaStreamWaitEvent(s2, ev, 0));
    P(cudaStreamEndCapture(s2, &k));
    P(cudaStreamEndCapture(s1, &k));
    P(cudaStreamBeginCapture(s1, cudaStreamCaptureModeRelaxed));
    cudaEventRecord(ev, s1);
    P(cudaStreamWaitEvent(s2, ev, 0));
    nop<<<1, 1, 0, s2>>>();
    P(cudaStreamEndCapture(s1, &k));
    LAST();
    P(cudaStreamBeginCapture(s1, cudaStreamCaptureModeRelaxed));
    cudaEventRecord(ev, s1);
    P(cudaStreamEndCapture(s1, &k));
    P(cudaEventQuery(ev));
    P(cudaEventSynchronize(ev));
    P(cudaStreamWaitEvent(s2, ev, 0));
    float ms;
    P(cudaEventElapsedTime(&ms, ev, old));
    P(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
    std::thread([&] {
        P(cudaMalloc(&u, 4));
        P(cudaStreamEndCapture(s1, &k));
    }).join();
    P(cudaStreamEndCapture(s1, &k));
    LAST();
    P(cudaStreamBeginCapture(s1, cudaStreamCaptureModeThreadLocal));
    std::thread([&] { P(cudaMalloc(&u, 4)); }).join();
    P(cudaStreamEndCapture(s1, &k));
}
