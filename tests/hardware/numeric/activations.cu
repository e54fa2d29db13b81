// GELU in both forms, SiLU, softplus, mish, ELU, and the instruction tanh.approx.
#include "numeric.h"
__device__ float tanh_instruction(float x) {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__global__ void activate(float* gelu, float* gelu_tanh, float* gelu_fast, float* silu, float* softplus, float* mish,
                         float* elu) {
    const int i = thread_of_grid();
    const float x = 12 * fraction(i) - 6, inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    gelu[i] = 0.5f * x * (1 + erff(x * 0.70710678f));
    gelu_tanh[i] = 0.5f * x * (1 + tanhf(inner));
    gelu_fast[i] = 0.5f * x * (1 + tanh_instruction(inner));
    silu[i] = x / (1 + __expf(-x));
    softplus[i] = log1pf(expf(x));
    mish[i] = x * tanhf(log1pf(expf(x)));
    elu[i] = x > 0 ? x : expm1f(x);
}
int main() {
    const int n = 8192;
    Array<float> a(n), b(n), c(n), d(n), e(n), f(n), g(n);
    activate<<<n / 256, 256>>>(a.data, b.data, c.data, d.data, e.data, f.data, g.data);
    a.show("gelu"), b.show("gelu with tanhf"), c.show("gelu with tanh.approx"), d.show("silu");
    e.show("softplus"), f.show("mish"), g.show("elu");
}
