// sRGB to linear and back, tone mapping, a grey image, XYZ to Lab.
#include "numeric.h"
__device__ float to_linear(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}
__device__ float to_srgb(float c) {
    return c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
}
__device__ float lab_root(float t) {
    return t > 0.008856f ? cbrtf(t) : 7.787f * t + 16.0f / 116;
}
__global__ void convert(float* linear, float* mapped, float* fast, unsigned char* grey, float3* lab) {
    const int i = thread_of_grid();
    const float r = to_linear(fraction(i, 1)), g = to_linear(fraction(i, 2)), b = to_linear(fraction(i, 3));
    linear[i] = r;
    mapped[i] = to_srgb(r * 4 / (1 + r * 4));
    fast[i] = __powf(fraction(i, 1), 2.2f);
    grey[i] = 255 * to_srgb(0.2126f * r + 0.7152f * g + 0.0722f * b);
    const float x = lab_root((0.4124f * r + 0.3576f * g + 0.1805f * b) / 0.9505f),
                y = lab_root(0.2126f * r + 0.7152f * g + 0.0722f * b);
    const float z = lab_root((0.0193f * r + 0.1192f * g + 0.9505f * b) / 1.089f);
    lab[i] = make_float3(116 * y - 16, 500 * (x - y), 200 * (y - z));
}
int main() {
    const int n = 8192;
    Array<float> linear(n), mapped(n), fast(n);
    Array<unsigned char> grey(n);
    Array<float3> lab(n);
    convert<<<n / 256, 256>>>(linear.data, mapped.data, fast.data, grey.data, lab.data);
    linear.show("linear"), mapped.show("tone mapped"), fast.show("__powf"), grey.show("grey"), lab.show("lab");
}
