// A graph that was captured from a stream.
#include <cstdio>
__global__ void inc(int* p) {
    atomicAdd(p, 1);
}
int main() {
    int* p;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 3; ++i) inc<<<1, 32, 0, s>>>(p);
    cudaGraph_t g;
    cudaStreamEndCapture(s, &g);
    cudaGraphExec_t e;
    cudaGraphInstantiate(&e, g, 0);
    for (int i = 0; i < 5; ++i) cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    int h;
    cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
    cudaFree(p);
}
