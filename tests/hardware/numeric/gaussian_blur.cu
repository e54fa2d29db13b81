// A separable Gaussian blur with weights made on the device, and unsharp masking.
#include "numeric.h"
__constant__ float sigma = 2.3f;
__global__ void make_weights(float* weights) {
    const int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 15; ++k) sum += expf(-(k - 7) * (k - 7) / (2 * sigma * sigma));
    if (i < 15) weights[i] = expf(-(i - 7) * (i - 7) / (2 * sigma * sigma)) / sum;
}
__global__ void fill(float* image) {
    const int i = thread_of_grid();
    image[i] = 0.7f * fraction(i) + 0.3f * __sinf(i * 0.01f);
}
__global__ void blur(const float* in, const float* weights, float* out, int stride_x, int stride_y) {
    const int i = thread_of_grid(), x = i % 96, y = i / 96;
    float sum = 0;
    for (int k = -7; k <= 7; ++k) {
        const int u = min(max(x + k * stride_x, 0), 95), v = min(max(y + k * stride_y, 0), 95);
        sum += weights[k + 7] * in[v * 96 + u];
    }
    out[i] = sum;
}
__global__ void sharpen(const float* image, const float* blurred, unsigned char* out) {
    const int i = thread_of_grid();
    out[i] = 255 * __saturatef(image[i] + 1.5f * (image[i] - blurred[i]));
}
int main() {
    const int n = 96 * 96;
    Array<float> weights(16), image(n), rows(n), blurred(n);
    Array<unsigned char> sharp(n);
    make_weights<<<1, 32>>>(weights.data);
    fill<<<36, 256>>>(image.data);
    blur<<<36, 256>>>(image.data, weights.data, rows.data, 1, 0);
    blur<<<36, 256>>>(rows.data, weights.data, blurred.data, 0, 1);
    sharpen<<<36, 256>>>(image.data, blurred.data, sharp.data);
    weights.show("weights"), blurred.show("blurred"), sharp.show("sharpened");
}
