// Gravity between 256 bodies, leapfrog.
#include "numeric.h"
__global__ void start(float4* p, float3* v) {
    const int i = thread_of_grid();
    p[i] = make_float4(fraction(i, 1) - 0.5f, fraction(i, 2) - 0.5f, fraction(i, 3) - 0.5f, 0.1f + fraction(i, 4));
    v[i] = make_float3(fraction(i, 5) - 0.5f, fraction(i, 6) - 0.5f, fraction(i, 7) - 0.5f);
}
__global__ void accelerate(const float4* p, float3* v, int n, float dt) {
    const int i = thread_of_grid();
    const float4 me = p[i];
    float3 a = make_float3(0, 0, 0);
    for (int j = 0; j < n; ++j) {
        const float4 other = p[j];
        const float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
        const float inverse = rsqrtf(x * x + y * y + z * z + 1e-3f);
        const float s = other.w * inverse * inverse * inverse;
        a.x += x * s, a.y += y * s, a.z += z * s;
    }
    v[i].x += a.x * dt, v[i].y += a.y * dt, v[i].z += a.z * dt;
}
__global__ void move(float4* p, const float3* v, float dt) {
    const int i = thread_of_grid();
    p[i].x += v[i].x * dt, p[i].y += v[i].y * dt, p[i].z += v[i].z * dt;
}
int main() {
    Array<float4> p(256);
    Array<float3> v(256);
    start<<<2, 128>>>(p.data, v.data);
    for (int step = 0; step < 6; ++step) {
        accelerate<<<2, 128>>>(p.data, v.data, 256, 1e-3f);
        move<<<2, 128>>>(p.data, v.data, 1e-3f);
    }
    p.show("positions"), v.show("velocities");
}
