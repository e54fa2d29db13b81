// European options: closed form, three ways to the normal distribution.
#include "numeric.h"
__device__ float by_polynomial(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    const float tail =
        0.39894228040f * expf(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}
__device__ float by_polynomial_fast(float d) {
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    const float tail =
        0.39894228040f * __expf(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}
__global__ void price(float2* plain, float2* fast, float2* library, float2* greeks) {
    const int i = thread_of_grid();
    const float s = 5 + 25 * fraction(i, 1), x = 1 + 99 * fraction(i, 2), t = 0.25f + 9.75f * fraction(i, 3);
    const float r = 0.02f, v = 0.1f + 0.4f * fraction(i, 4), root = sqrtf(t);
    const float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    const float discount = x * expf(-r * t);
    const float n1 = by_polynomial(d1), n2 = by_polynomial(d2);
    plain[i] = make_float2(s * n1 - discount * n2, discount * (1 - n2) - s * (1 - n1));
    const float m1 = by_polynomial_fast(d1), m2 = by_polynomial_fast(d2), cheap = x * __expf(-r * t);
    fast[i] = make_float2(s * m1 - cheap * m2, cheap * (1 - m2) - s * (1 - m1));
    library[i] = make_float2(s * normcdff(d1) - discount * normcdff(d2), s * 0.5f * erfcf(-d1 * 0.70710678f));
    greeks[i] = make_float2(expf(-0.5f * d1 * d1) / (s * v * root * 2.5066283f), n1);
}
int main() {
    Array<float2> plain(4096), fast(4096), library(4096), greeks(4096);
    price<<<16, 256>>>(plain.data, fast.data, library.data, greeks.data);
    plain.show("polynomial"), fast.show("fast intrinsics"), library.show("normcdff"), greeks.show("greeks");
}
