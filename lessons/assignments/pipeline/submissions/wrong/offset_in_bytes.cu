// POINTS: 0
// FAILS: no race, no access outside, no error of a call
// REPLY: Two streams use the same part of device memory. Does each step of a
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void transform(float* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = p[i];
    for (int k = 0; k < 400; ++k) x = x * 0.5f + 1;
    p[i] += x;
}

// Sends n numbers through the device in `chunks` parts, each in a stream of its own. Returns milliseconds, or -1.
float pipeline(float* h, float* d, int n, int chunks) {
    cudaStream_t* streams = new cudaStream_t[chunks];
    for (int c = 0; c < chunks; ++c) cudaStreamCreate(&streams[c]);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    const int part = (n + chunks - 1) / chunks;
    cudaEventRecord(begin);
    for (int c = 0; c < chunks; ++c) {
        const int first = c * part, count = first + part < n ? part : n - first;
        if (count <= 0) continue;
        cudaMemcpyAsync(d + first * sizeof(float), h + first, count * sizeof(float), cudaMemcpyHostToDevice, streams[c]);
        transform<<<(count + 255) / 256, 256, 0, streams[c]>>>(d + first, count);
        cudaMemcpyAsync(h + first, d + first, count * sizeof(float), cudaMemcpyDeviceToHost, streams[c]);
    }
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = -1;
    cudaEventElapsedTime(&ms, begin, end);
    for (int c = 0; c < chunks; ++c) cudaStreamDestroy(streams[c]);
    delete[] streams;
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return cudaGetLastError() == cudaSuccess ? ms : -1;
}

int main(int argc, char** argv) {
    const int n = argc > 2 ? atoi(argv[1]) : 0, chunks = argc > 2 ? atoi(argv[2]) : 0;
    if (n <= 0 || chunks <= 0) {
        puts("bad sizes");
        return 0;
    }
    float *h, *d;
    if (cudaMallocHost(&h, n * sizeof(float)) != cudaSuccess || cudaMalloc(&d, n * sizeof(float)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) h[i] = i % 1000;
    const float in_one = pipeline(h, d, n, 1);
    for (int i = 0; i < n; ++i) h[i] = i % 1000;
    const float in_parts = pipeline(h, d, n, chunks);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += h[i];
    printf("sum %.0f\n%g %g %g\n", sum, h[0], h[n / 2], h[n - 1]);
    if (chunks > 1) printf("overlap %s\n", in_parts > 0 && in_parts < 0.85f * in_one ? "yes" : "no");
    cudaFreeHost(h);
    cudaFree(d);
}
