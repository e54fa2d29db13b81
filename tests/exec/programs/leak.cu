// Memory that is never freed, and an object that is never destroyed.
#include <cstdio>
static float* make(int n) {
    float* p;
    cudaMalloc((void**)&p, n * sizeof(float));
    return p;
}
int main() {
    float* d = make(256);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemsetAsync(d, 0, 1024, stream);
    cudaStreamSynchronize(stream);
    printf("done\n");
}
