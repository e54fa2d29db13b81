// The greatest eigenvalue of a matrix of 64 x 64, three normalizations.
#include "numeric.h"
__device__ float entry(int i, int j) {
    return fraction(min(i, j) * 64 + max(i, j)) + (i == j ? 2 : 0);
}
template <int Kind>
__global__ void iterate(float* vector, float* value) {
    __shared__ float x[64], squares[64];
    const int i = threadIdx.x;
    x[i] = 1;
    float norm = 0;
    for (int step = 0; step < 12; ++step) {
        __syncthreads();
        float y = 0;
        for (int j = 0; j < 64; ++j) y += entry(i, j) * x[j];
        squares[i] = y * y;
        __syncthreads();
        norm = 0;
        for (int j = 0; j < 64; ++j) norm += squares[j];
        x[i] = Kind == 0 ? y / sqrtf(norm) : Kind == 1 ? y * rsqrtf(norm) : __fdividef(y, __fsqrt_rn(norm));
    }
    vector[i] = x[i], value[i] = sqrtf(norm);
}
int main() {
    Array<float> a(64), b(64), c(64), value(64);
    iterate<0><<<1, 64>>>(a.data, value.data), iterate<1><<<1, 64>>>(b.data, value.data),
        iterate<2><<<1, 64>>>(c.data, value.data);
    a.show("by sqrtf"), b.show("by rsqrtf"), c.show("by __fdividef"), value.show("value");
}
