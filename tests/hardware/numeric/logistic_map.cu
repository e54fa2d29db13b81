// Bifurcations of the logistic map and its Lyapunov exponents; the Hénon and the Ikeda map.
#include "numeric.h"
__global__ void iterate(float* last, float* lyapunov, float2* henon, float2* ikeda) {
    const int i = thread_of_grid();
    const float r = 3.4f + 0.6f * i / 1024;
    float x = 0.5f, sum = 0;
    for (int k = 0; k < 200; ++k) {
        x = r * x * (1 - x);
        sum += logf(fabsf(r * (1 - 2 * x)) + 1e-9f);
    }
    last[i] = x, lyapunov[i] = sum / 200;
    float u = fraction(i), v = fraction(i, 1);
    for (int k = 0; k < 60; ++k) {
        const float t = 1 - 1.4f * u * u + v;
        v = 0.3f * u, u = t;
    }
    henon[i] = make_float2(u, v);
    float a = fraction(i, 2), b = fraction(i, 3);
    for (int k = 0; k < 30; ++k) {
        const float t = 0.4f - 6 / (1 + a * a + b * b), s = sinf(t), c = cosf(t), n = 1 + 0.9f * (a * c - b * s);
        b = 0.9f * (a * s + b * c), a = n;
    }
    ikeda[i] = make_float2(a, b);
}
int main() {
    Array<float> last(1024), lyapunov(1024);
    Array<float2> henon(1024), ikeda(1024);
    iterate<<<8, 128>>>(last.data, lyapunov.data, henon.data, ikeda.data);
    last.show("last"), lyapunov.show("lyapunov"), henon.show("henon"), ikeda.show("ikeda");
}
