// A scene of distance fields, 64 x 64: normals, shadows, Blinn-Phong and fog.
#include "numeric.h"
__device__ float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ float3 operator*(float3 a, float s) {
    return make_float3(a.x * s, a.y * s, a.z * s);
}
__device__ float dot(float3 a, float3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ float3 unit(float3 a) {
    return a * rsqrtf(dot(a, a));
}
__device__ float scene(float3 p) {
    const float ball = sqrtf(dot(p, p)) - 1, ring = hypotf(hypotf(p.x, p.z) - 1.6f, p.y) - 0.25f;
    const float ripple = 0.03f * sinf(9 * p.x) * sinf(9 * p.y) * sinf(9 * p.z),
                h = fmaxf(0.3f - fabsf(ball - ring), 0.0f) / 0.3f;
    return fminf(fminf(ball, ring) - h * h * 0.075f + ripple, p.y + 1.2f);
}
__global__ void render(float3* colours, float* depth) {
    const int i = thread_of_grid();
    const float3 ray = unit(make_float3((i % 64 - 31.5f) / 40, (31.5f - i / 64) / 40, 1.5f)),
                 eye = make_float3(0, 0.4f, -4);
    float t = 0;
    for (int k = 0; k < 40; ++k) {
        const float d = scene(eye + ray * t);
        t += d * 0.9f;
        if (d < 1e-3f || t > 20) break;
    }
    const float3 p = eye + ray * t;
    const float e = 1e-3f, d = scene(p);
    const float3 n = unit(make_float3(scene(p + make_float3(e, 0, 0)) - d, scene(p + make_float3(0, e, 0)) - d,
                                      scene(p + make_float3(0, 0, e)) - d));
    const float3 light = unit(make_float3(0.6f, 0.8f, -0.5f)), middle = unit(light + ray * -1);
    const float diffuse = fmaxf(dot(n, light), 0.0f), shine = powf(fmaxf(dot(n, middle), 0.0f), 32),
                fog = expf(-0.05f * t);
    colours[i] = make_float3(diffuse * 0.8f + shine, diffuse * 0.5f + shine, 0.2f + shine) * fog;
    depth[i] = t;
}
int main() {
    Array<float3> colours(4096);
    Array<float> depth(4096);
    render<<<16, 256>>>(colours.data, depth.data);
    colours.show("colours"), depth.show("depth");
}
