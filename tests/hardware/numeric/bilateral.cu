// A bilateral filter: weights by distance and by difference, __expf and expf.
#include "numeric.h"
__device__ float pixel(int x, int y) {
    x = min(max(x, 0), 63), y = min(max(y, 0), 63);
    return (x > 30 ? 0.8f : 0.2f) + 0.1f * fraction(y * 64 + x);
}
__global__ void filter(float* plain, float* fast) {
    const int i = thread_of_grid(), x = i % 64, y = i / 64;
    const float middle = pixel(x, y);
    float sum = 0, weights = 0, quick = 0, quick_weights = 0;
    for (int v = -3; v <= 3; ++v)
        for (int u = -3; u <= 3; ++u) {
            const float p = pixel(x + u, y + v), d = p - middle;
            const float w = expf(-(u * u + v * v) / 18.0f - d * d / 0.02f),
                        q = __expf(-(u * u + v * v) / 18.0f - d * d / 0.02f);
            sum += w * p, weights += w, quick += q * p, quick_weights += q;
        }
    plain[i] = sum / weights;
    fast[i] = __fdividef(quick, quick_weights);
}
int main() {
    Array<float> plain(4096), fast(4096);
    filter<<<16, 256>>>(plain.data, fast.data);
    plain.show("expf"), fast.show("__expf");
}
