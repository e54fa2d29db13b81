// A Fourier transform of 1,024 points in shared memory: twiddles by sincosf, sincospif and __sincosf.
#include "numeric.h"
template <int Kind>
__device__ void twiddle(int k, int n, float* s, float* c) {
    if (Kind == 0) sincosf(-6.2831853f * k / n, s, c);
    if (Kind == 1) sincospif(-2.0f * k / n, s, c);
    if (Kind == 2) __sincosf(-6.2831853f * k / n, s, c);
}
template <int Kind>
__global__ void transform(float2* out) {
    __shared__ float2 x[1024];
    for (int i = threadIdx.x; i < 1024; i += 512)
        x[__brev(i) >> 22] = make_float2(fraction(i) - 0.5f, fraction(i, 1) - 0.5f);
    for (int n = 2; n <= 1024; n *= 2) {
        __syncthreads();
        const int k = threadIdx.x % (n / 2), at = threadIdx.x / (n / 2) * n + k;
        float s, c;
        twiddle<Kind>(k, n, &s, &c);
        const float2 a = x[at], b = x[at + n / 2], t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
        x[at] = make_float2(a.x + t.x, a.y + t.y), x[at + n / 2] = make_float2(a.x - t.x, a.y - t.y);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 512) out[i] = x[i];
}
int main() {
    Array<float2> a(1024), b(1024), c(1024);
    transform<0><<<1, 512>>>(a.data), transform<1><<<1, 512>>>(b.data), transform<2><<<1, 512>>>(c.data);
    a.show("sincosf"), b.show("sincospif"), c.show("__sincosf");
}
