// The wave equation with a spherical pulse, and its energy.
#include "numeric.h"
__global__ void start(float* now, float* before) {
    const int i = thread_of_grid(), x = i % 64, y = i / 64;
    const float r = sqrtf((x - 31.5f) * (x - 31.5f) + (y - 31.5f) * (y - 31.5f));
    now[i] = before[i] = __expf(-r * r / 20) * cosf(r);
}
__global__ void step(const float* now, float* before, float c) {
    const int i = thread_of_grid(), x = i % 64, y = i / 64;
    const float left = x ? now[i - 1] : 0, right = x < 63 ? now[i + 1] : 0, up = y ? now[i - 64] : 0,
                down = y < 63 ? now[i + 64] : 0;
    before[i] = (2 * now[i] - before[i] + c * c * (left + right + up + down - 4 * now[i])) * 0.999f;
}
__global__ void energy(const float* now, const float* before, float* out) {
    const int i = thread_of_grid();
    float e = (now[i] - before[i]) * (now[i] - before[i]) + 0.25f * now[i] * now[i];
    for (int d = 16; d; d /= 2) e += __shfl_down_sync(~0u, e, d);
    if (i % 32 == 0) out[i / 32] = sqrtf(e);
}
int main() {
    Array<float> a(4096), b(4096), e(128);
    start<<<16, 256>>>(a.data, b.data);
    for (int k = 0; k < 20; ++k) step<<<16, 256>>>(a.data, b.data, 0.5f), step<<<16, 256>>>(b.data, a.data, 0.5f);
    energy<<<16, 256>>>(a.data, b.data, e.data);
    a.show("field"), e.show("energy");
}
