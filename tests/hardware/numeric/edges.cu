// An image's gradient by Sobel: size, direction, and its Canny bins.
#include "numeric.h"
__device__ float pixel(int x, int y) {
    x = min(max(x, 0), 95), y = min(max(y, 0), 95);
    return 0.5f + 0.25f * sinf(0.13f * x + 0.05f * y) + 0.25f * cosf(0.002f * x * y) + 0.01f * fraction(y * 96 + x);
}
__global__ void sobel(float* size, float* direction, unsigned char* bins) {
    const int i = thread_of_grid(), x = i % 96, y = i / 96;
    float gx = 0, gy = 0;
    for (int d = -1; d <= 1; ++d) {
        const float weight = d == 0 ? 2 : 1;
        gx += weight * (pixel(x + 1, y + d) - pixel(x - 1, y + d));
        gy += weight * (pixel(x + d, y + 1) - pixel(x + d, y - 1));
    }
    size[i] = hypotf(gx, gy);
    direction[i] = atan2f(gy, gx);
    bins[i] = static_cast<int>(rintf(direction[i] * (4 / 3.14159265f))) & 7;
}
int main() {
    Array<float> size(96 * 96), direction(96 * 96);
    Array<unsigned char> bins(96 * 96);
    sobel<<<36, 256>>>(size.data, direction.data, bins.data);
    size.show("size"), direction.show("direction"), bins.show("bins");
}
