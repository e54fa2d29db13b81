// REPLY: You wait for each
#include <algorithm>
#include <vector>

cudaError_t pipeline(float* h, int n, int chunks) {
    float* d;
    cudaError_t error = cudaMalloc(&d, n * sizeof(float));
    if (error != cudaSuccess) return error;
    std::vector<cudaStream_t> streams(chunks);
    for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);

    const int part = (n + chunks - 1) / chunks;
    for (int c = 0; c < chunks; ++c) {
        const int first = c * part, count = std::min(part, n - first);
        if (count <= 0) break;
        cudaStream_t s = streams[c];
        cudaMemcpyAsync(d + first, h + first, count * sizeof(float), cudaMemcpyHostToDevice, s);
        work<<<(count + 255) / 256, 256, 0, s>>>(d + first, count);
        cudaMemcpyAsync(h + first, d + first, count * sizeof(float), cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
    }
    error = cudaGetLastError();
    for (cudaStream_t stream : streams) {
        cudaError_t waited = cudaStreamSynchronize(stream);
        if (error == cudaSuccess) error = waited;
        cudaStreamDestroy(stream);
    }
    cudaFree(d);
    return error;
}
