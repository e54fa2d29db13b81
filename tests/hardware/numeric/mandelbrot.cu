// The Mandelbrot set, 96 x 96: smooth colouring, the distance estimate, HSV to RGB.
#include "numeric.h"
__global__ void mandelbrot(float* smooth, float* distance, uchar4* pixels) {
    const int i = thread_of_grid();
    const float cx = -2.2f + 3.2f * (i % 96) / 96, cy = -1.4f + 2.8f * (i / 96) / 96;
    float x = 0, y = 0, dx = 0, dy = 0;
    int n = 0;
    for (; n < 100 && x * x + y * y < 256; ++n) {
        const float ex = 2 * (x * dx - y * dy) + 1, ey = 2 * (x * dy + y * dx);
        const float t = x * x - y * y + cx;
        y = 2 * x * y + cy, x = t, dx = ex, dy = ey;
    }
    const float size = sqrtf(x * x + y * y);
    const float mu = n == 100 ? 0 : n + 1 - logf(logf(size)) / logf(2.0f);
    smooth[i] = mu;
    distance[i] = n == 100 ? 0 : size * logf(size) / sqrtf(dx * dx + dy * dy);
    const float hue = 6 * (mu * 0.02f - floorf(mu * 0.02f)), part = hue - floorf(hue),
                value = powf(fminf(mu / 100, 1.0f), 0.4f);
    const int sector = static_cast<int>(hue) % 6;
    const float p = 0.2f * value, q = value * (1 - 0.8f * part), t = value * (1 - 0.8f * (1 - part));
    const float r = sector == 0 || sector == 5 ? value : sector == 1 ? q : sector == 4 ? t : p;
    const float g = sector == 1 || sector == 2 ? value : sector == 0 ? t : sector == 3 ? q : p;
    pixels[i] = make_uchar4(255 * r, 255 * g, 255 * value, sector);
}
int main() {
    Array<float> smooth(96 * 96), distance(96 * 96);
    Array<uchar4> pixels(96 * 96);
    mandelbrot<<<36, 256>>>(smooth.data, distance.data, pixels.data);
    smooth.show("smooth"), distance.show("distance"), pixels.show("pixels");
}
