// Document 4, "32-bit broadcast access": all threads of a half-warp read one word. Added by the reader: everything; the
// text describes the pattern without code.
#include <stdio.h>

__global__ void broadcast(float *out) {
    __shared__ float shared[32];
    int tid = threadIdx.x;
    shared[tid] = tid * 10.0f;
    __syncthreads();
    out[tid] = shared[tid / 16];
}

int main() {
    float host[32], *out;
    cudaMalloc(&out, sizeof(host));
    broadcast<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(out);
    int wrong = 0;
    for (int t = 0; t < 32; ++t) wrong += host[t] != t / 16 * 10.0f;
    printf("halves see %.0f and %.0f, wrong %d\n", host[0], host[31], wrong);
    return wrong != 0;
}
