// Variables by their names, on both sides.
#include <cstdio>
__constant__ float weights[4];
__device__ float sum;
__global__ void weigh(const float* in) {
    float s = 0;
    for (int i = 0; i < 4; ++i) s += weights[i] * in[i];
    sum = s;
}
int main() {
    const float w[4] = {1, 2, 3, 4}, in[4] = {1, 1, 2, 2};
    float *d, out;
    cudaMemcpyToSymbol(weights, w, sizeof w);
    cudaMalloc(&d, sizeof in);
    cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice);
    weigh<<<1, 1>>>(d);
    cudaMemcpyFromSymbol(&out, sum, sizeof out);
    printf("%g\n", out);
    cudaFree(d);
}
