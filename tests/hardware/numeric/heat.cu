// Heat diffusion on 64 x 64, explicit, with a source and a conductivity that depends on the temperature.
#include "numeric.h"
__global__ void start(float* t) {
    const int i = thread_of_grid(), x = i % 64, y = i / 64;
    t[i] = expf(-0.01f * ((x - 32) * (x - 32) + (y - 20) * (y - 20))) + 0.01f * fraction(i);
}
__global__ void step(const float* in, float* out) {
    const int i = thread_of_grid(), x = i % 64, y = i / 64;
    if (x == 0 || y == 0 || x == 63 || y == 63) return;
    const float k = 0.2f / (1 + in[i] * in[i]);
    out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - 64] + in[i + 64] - 4 * in[i]) + 1e-4f * sinf(0.1f * x);
}
int main() {
    Array<float> a(4096), b(4096);
    start<<<16, 256>>>(a.data);
    cudaMemcpy(b.data, a.data, 4096 * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int k = 0; k < 20; ++k) step<<<16, 256>>>(a.data, b.data), step<<<16, 256>>>(b.data, a.data);
    a.show("temperature");
}
