// Prints what the runtime answers: "expression -> code name", one line a call, and what a call does to a capture.
#pragma once

#include <cuda_runtime.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <unistd.h>

static void show(const char* what, cudaError_t e) {
    printf("%s -> %d %s\n", what, (int)e, cudaGetErrorName(e));
    fflush(stdout);
}
// A call that never returns ends the program: what is asked after it stays unanswered, so that risky calls come last.
static const char* asked = "";
static void hung(int) {
    (void)!write(1, asked, strlen(asked));
    (void)!write(1, " -> hangs\n", 10);
    _exit(3);
}
static sigjmp_buf beyond;
static void faulted(int) {
    siglongjmp(beyond, 1);
}
template <class F>
static void guarded(const char* what, F f) {
    signal(SIGSEGV, faulted);
    signal(SIGABRT, faulted);
    signal(SIGALRM, hung);
    asked = what;
    alarm(30);
    if (sigsetjmp(beyond, 1) == 0)
        show(what, f());
    else {
        printf("%s -> faults\n", what);
        fflush(stdout);
    }
    alarm(0);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
}
#define P(...) guarded(#__VA_ARGS__, [&]() -> cudaError_t { return __VA_ARGS__; })
#define V(format, ...)                                       \
    do {                                                     \
        printf(#__VA_ARGS__ " = " format "\n", __VA_ARGS__); \
        fflush(stdout);                                      \
    } while (0)
#define LAST() show("  last", cudaGetLastError())

__global__ void nop() {}
__global__ void set(int* p, int v) {
    *p = v;
}
__global__ void add(int* p, int v) {
    atomicAdd(p, v);
}
__global__ void bad(int* p) {
    *(volatile int*)p = 1;
}
__global__ void spin(long long cycles, int* p) {
    long long t = clock64();
    while (clock64() - t < cycles) {
    }
    if (p) *p = 1;
}
__global__ void dyn(int* p) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    __syncthreads();
    if (p) *p = s[0];
}
__device__ int var;
__constant__ int cvar;

static void CUDART_CB hostfn(void* p) {
    printf("  host function %s\n", (const char*)p);
    fflush(stdout);
}
static void CUDART_CB callback(cudaStream_t, cudaError_t e, void* p) {
    printf("  callback %s status %d\n", (const char*)p, (int)e);
    fflush(stdout);
}

// What a call does to a capture that is active: its code, and whether the capture survives.
template <class F>
static void in_capture(const char* what, cudaStreamCaptureMode mode, F f, unsigned flags = cudaStreamDefault) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, flags);
    cudaGraph_t g = nullptr;
    cudaError_t b = cudaStreamBeginCapture(s, mode);
    cudaError_t e = f(s);
    cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
    cudaError_t q = cudaStreamIsCapturing(s, &st);
    cudaError_t d = cudaStreamEndCapture(s, &g);
    size_t n = 0;
    if (g) cudaGraphGetNodes(g, nullptr, &n);
    cudaError_t l = cudaGetLastError();
    printf("in capture(%d,%u) %s -> begin %d call %d query %d status %d end %d nodes %zu graph %d last %d\n", (int)mode,
           flags, what, (int)b, (int)e, (int)q, (int)st, (int)d, n, g != nullptr, (int)l);
    fflush(stdout);
    if (g) cudaGraphDestroy(g);
    cudaStreamDestroy(s);
    cudaGetLastError();
}
#define C(mode, ...)                                                    \
    in_capture(#__VA_ARGS__, mode, [&](cudaStream_t s) -> cudaError_t { \
        (void)s;                                                        \
        return __VA_ARGS__;                                             \
    })
#define CN(mode, ...)                        \
    in_capture(                              \
        #__VA_ARGS__, mode,                  \
        [&](cudaStream_t s) -> cudaError_t { \
            (void)s;                         \
            return __VA_ARGS__;              \
        },                                   \
        cudaStreamNonBlocking)
