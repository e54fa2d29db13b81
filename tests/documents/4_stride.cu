// Document 4, compute capability 1.x: 32-bit words read with a stride. Added by the reader: the kernel, a table of the
// conflicts that the text's rule predicts (16 banks, a half-warp at a time), and a check that the values come out right
// whatever the conflicts.
#include <stdio.h>

__global__ void stride(const float *in, float *out, int s) {
    const int BaseIndex = 0;
    __shared__ float shared[32 * 32];
    int tid = threadIdx.x;
    for (int i = tid; i < 32 * 32; i += 32) shared[i] = in[i];
    __syncthreads();
    float data = shared[BaseIndex + s * tid];
    out[tid] = data;
}

int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

int main() {
    static float host[32 * 32];
    for (int i = 0; i < 32 * 32; ++i) host[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);

    int wrong = 0;
    for (int s = 1; s <= 8; ++s) {
        float got[32];
        stride<<<1, 32>>>(in, out, s);
        cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
        for (int t = 0; t < 32; ++t) wrong += got[t] != float(s * t);
        printf("stride %d: %d-way\n", s, gcd(16, s));
    }
    printf("wrong %d\n", wrong);
    cudaFree(in);
    cudaFree(out);
    return wrong != 0;
}
