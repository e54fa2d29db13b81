// Kepler's equation by Newton's method, and the planet's place.
#include "numeric.h"
__global__ void solve(float* anomaly, float2* place, float* fast) {
    const int i = thread_of_grid();
    const float e = 0.9f * fraction(i), m = 6.2831853f * fraction(i, 1) - 3.14159265f;
    float x = m, y = m;
    for (int k = 0; k < 8; ++k) {
        x -= (x - e * sinf(x) - m) / (1 - e * cosf(x));
        y -= __fdividef(y - e * __sinf(y) - m, 1 - e * __cosf(y));
    }
    anomaly[i] = x, fast[i] = y;
    const float v = 2 * atan2f(sqrtf(1 + e) * sinf(x / 2), sqrtf(1 - e) * cosf(x / 2)), r = 1 - e * cosf(x);
    place[i] = make_float2(r * cosf(v), r * sinf(v));
}
int main() {
    Array<float> anomaly(2048), fast(2048);
    Array<float2> place(2048);
    solve<<<16, 128>>>(anomaly.data, place.data, fast.data);
    anomaly.show("anomaly"), place.show("place"), fast.show("fast intrinsics");
}
