// Jacobi's iteration and conjugate gradients for a matrix of 128 x 128.
#include "numeric.h"
__device__ float entry(int i, int j) {
    return i == j ? 70 : fraction(min(i, j) * 128 + max(i, j)) - 0.5f;
}
__global__ void iterate(const float* in, float* out) {
    const int i = threadIdx.x;
    float sum = fraction(i, 1);
    for (int j = 0; j < 128; ++j)
        if (j != i) sum -= entry(i, j) * in[j];
    out[i] = sum / entry(i, i);
}
__device__ float total(float x, float* shared) {
    __syncthreads();
    shared[threadIdx.x] = x;
    for (int d = 64; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) shared[threadIdx.x] += shared[threadIdx.x + d];
    }
    __syncthreads();
    return shared[0];
}
__global__ void gradients(float* out) {
    __shared__ float p[128], sums[128];
    const int i = threadIdx.x;
    float x = 0, r = fraction(i, 1);
    p[i] = r;
    float old = total(r * r, sums);
    for (int k = 0; k < 6; ++k) {
        float y = 0;
        for (int j = 0; j < 128; ++j) y += entry(i, j) * p[j];
        const float alpha = old / total(p[i] * y, sums);
        x += alpha * p[i], r -= alpha * y;
        const float now = total(r * r, sums);
        p[i] = r + now / old * p[i];
        old = now;
        __syncthreads();
    }
    out[i] = x;
}
int main() {
    Array<float> a(128), b(128), c(128);
    for (int k = 0; k < 5; ++k) iterate<<<1, 128>>>(a.data, b.data), iterate<<<1, 128>>>(b.data, a.data);
    gradients<<<1, 128>>>(c.data);
    a.show("jacobi"), c.show("conjugate gradients");
}
