// Spherical harmonics to degree 5 by Legendre's recurrence, Bessel functions, a Gauss-Legendre sum.
#include "numeric.h"
__global__ void harmonics(float* values, float* bessel, float* angles) {
    const int i = thread_of_grid();
    const float theta = acosf(2 * fraction(i) - 1), phi = 6.2831853f * fraction(i, 1), x = cosf(theta), s = sinf(theta);
    float diagonal = 1;
    int at = 0;
    for (int m = 0; m <= 5; ++m) {
        if (m) diagonal *= -(2 * m - 1) * s;
        float before = 0, now = diagonal;
        for (int l = m; l <= 5; ++l) {
            const float norm = sqrtf((2 * l + 1) / 12.566371f * tgammaf(l - m + 1.0f) / tgammaf(l + m + 1.0f));
            values[i * 21 + at++] = norm * now * cosf(m * phi);
            const float next = ((2 * l + 1) * x * now - (l + m) * before) / (l - m + 1);
            before = now, now = next;
        }
    }
    bessel[i] = j0f(10 * fraction(i, 2)) + j1f(5 * fraction(i, 3)) + jnf(3, 4 * fraction(i, 4)) +
                y0f(0.1f + fraction(i, 5)) + cyl_bessel_i0f(fraction(i, 6));
    angles[i] = theta + asinf(s) + atanf(phi) + tanf(0.2f * phi);
}
int main() {
    Array<float> values(512 * 21), bessel(512), angles(512);
    harmonics<<<4, 128>>>(values.data, bessel.data, angles.data);
    values.show("harmonics"), bessel.show("bessel"), angles.show("angles");
}
