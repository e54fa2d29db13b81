// Work in the order of a stream: memory, events, a host function, a copy.
#include <cstdio>
__global__ void k(float* p, float v) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
void CUDART_CB say(void* d) {
    printf("host %d\n", *(int*)d);
}
int main() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    float* p;
    cudaMallocAsync(&p, 4096, s);
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a, s);
    k<<<4, 256, 0, s>>>(p, 2);
    cudaEventRecord(b, s);
    int n = 9;
    cudaLaunchHostFunc(s, say, &n);
    float* h;
    cudaMallocHost(&h, 4096);
    cudaMemcpyAsync(h, p, 4096, cudaMemcpyDeviceToHost, s);
    cudaFreeAsync(p, s);
    cudaStreamSynchronize(s);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    printf("%g %d\n", h[1000], ms > 0);
    cudaFreeHost(h);
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    cudaStreamDestroy(s);
}
