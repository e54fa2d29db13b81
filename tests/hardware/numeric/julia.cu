// A Julia set, 96 x 96, with smooth colours.
#include "numeric.h"
__global__ void julia(float* smooth, uchar4* pixels) {
    const int i = thread_of_grid(), px = i % 96, py = i / 96;
    float x = 3.0f * px / 96 - 1.5f, y = 3.0f * py / 96 - 1.5f;
    int n = 0;
    for (; n < 120 && x * x + y * y < 64; ++n) {
        const float t = x * x - y * y - 0.7269f;
        y = 2 * x * y + 0.1889f;
        x = t;
    }
    const float mu = n - log2f(fmaxf(logf(x * x + y * y) * 0.5f, 1e-6f));
    smooth[i] = mu;
    pixels[i] = make_uchar4(127.5f + 127.5f * sinf(0.1f * mu), 127.5f + 127.5f * sinf(0.13f * mu + 1),
                            127.5f + 127.5f * cosf(0.17f * mu), n);
}
int main() {
    Array<float> smooth(96 * 96);
    Array<uchar4> pixels(96 * 96);
    julia<<<36, 256>>>(smooth.data, pixels.data);
    smooth.show("smooth"), pixels.show("pixels");
}
