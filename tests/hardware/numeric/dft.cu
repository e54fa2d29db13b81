// The transform by its definition, 256 points, and the power spectrum in decibels.
#include "numeric.h"
__global__ void transform(float2* spectrum, float* decibels, float* phase) {
    const int k = thread_of_grid();
    float re = 0, im = 0;
    for (int n = 0; n < 256; ++n) {
        float s, c;
        __sincosf(-6.2831853f * k * n / 256, &s, &c);
        const float x = sinf(0.3f * n) + 0.5f * fraction(n);
        re += x * c, im += x * s;
    }
    spectrum[k] = make_float2(re, im);
    decibels[k] = 10 * log10f(re * re + im * im);
    phase[k] = atan2f(im, re);
}
int main() {
    Array<float2> spectrum(256);
    Array<float> decibels(256), phase(256);
    transform<<<2, 128>>>(spectrum.data, decibels.data, phase.data);
    spectrum.show("spectrum"), decibels.show("decibels"), phase.show("phase");
}
