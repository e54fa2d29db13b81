// A damped, driven pendulum and a double one, Runge-Kutta of order 4.
#include "numeric.h"
__device__ float2 slope(float2 s, float t) {
    return make_float2(s.y, -sinf(s.x) - 0.2f * s.y + 1.2f * cosf(0.66f * t));
}
__global__ void run(float2* out, float2* twice) {
    const int i = thread_of_grid();
    float2 s = make_float2(6 * fraction(i) - 3, fraction(i, 1));
    const float h = 0.05f;
    for (int k = 0; k < 80; ++k) {
        const float t = k * h;
        const float2 a = slope(s, t), b = slope(make_float2(s.x + h / 2 * a.x, s.y + h / 2 * a.y), t + h / 2);
        const float2 c = slope(make_float2(s.x + h / 2 * b.x, s.y + h / 2 * b.y), t + h / 2),
                     d = slope(make_float2(s.x + h * c.x, s.y + h * c.y), t + h);
        s = make_float2(s.x + h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x), s.y + h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y));
    }
    out[i] = s;
    float a1 = 2 * fraction(i, 2), a2 = 1 + fraction(i, 3), w1 = 0, w2 = 0;
    for (int k = 0; k < 60; ++k) {
        const float d = a1 - a2, sine = __sinf(d), cosine = __cosf(d), below = 3 - __cosf(2 * d);
        const float b1 =
            (-9.81f * (3 * __sinf(a1) + __sinf(a1 - 2 * a2)) - 2 * sine * (w2 * w2 + w1 * w1 * cosine)) / below;
        const float b2 = 2 * sine * (2 * w1 * w1 + 19.62f * __cosf(a1) + w2 * w2 * cosine) / below;
        w1 += 0.01f * b1, w2 += 0.01f * b2, a1 += 0.01f * w1, a2 += 0.01f * w2;
    }
    twice[i] = make_float2(a1, a2);
}
int main() {
    Array<float2> out(1024), twice(1024);
    run<<<8, 128>>>(out.data, twice.data);
    out.show("driven"), twice.show("double");
}
