// The Lorenz system from 1,024 starts: 400 steps of Euler, 100 of Runge-Kutta.
#include "numeric.h"
__device__ float3 slope(float3 p) {
    return make_float3(10 * (p.y - p.x), p.x * (28 - p.z) - p.y, p.x * p.y - 8.0f / 3 * p.z);
}
__device__ float3 along(float3 p, float3 d, float h) {
    return make_float3(p.x + h * d.x, p.y + h * d.y, p.z + h * d.z);
}
__global__ void run(float3* euler, float3* kutta) {
    const int i = thread_of_grid();
    const float3 begin = make_float3(1 + fraction(i), fraction(i, 1), 20 + fraction(i, 2));
    float3 p = begin;
    for (int k = 0; k < 400; ++k) p = along(p, slope(p), 0.005f);
    euler[i] = p;
    p = begin;
    for (int k = 0; k < 100; ++k) {
        const float h = 0.02f;
        const float3 a = slope(p), b = slope(along(p, a, h / 2)), c = slope(along(p, b, h / 2)),
                     d = slope(along(p, c, h));
        p.x += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
        p.y += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
        p.z += h / 6 * (a.z + 2 * b.z + 2 * c.z + d.z);
    }
    kutta[i] = p;
}
int main() {
    Array<float3> euler(1024), kutta(1024);
    run<<<8, 128>>>(euler.data, kutta.data);
    euler.show("euler"), kutta.show("runge-kutta");
}
