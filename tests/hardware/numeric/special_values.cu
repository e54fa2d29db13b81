// The functions of the library in float, each over its range.
#include "numeric.h"
#define EACH(DO)                                                                                                       \
    DO(0, expf(20 * x - 10))                                                                                           \
    DO(1, exp2f(40 * x - 20)) DO(2, exp10f(10 * x - 5)) DO(3, expm1f(4 * x - 2)) DO(4, logf(100 * x + 1e-6f)) DO(      \
        5, log2f(100 * x + 1e-6f)) DO(6, log10f(x + 1e-6f)) DO(7, log1pf(x - 0.5f)) DO(8, powf(x * 10, 3 * y - 1.5f))  \
        DO(9, sqrtf(x * 50)) DO(10, rsqrtf(x + 1e-6f)) DO(11, cbrtf(x - 0.5f)) DO(12, rcbrtf(x + 0.01f))               \
            DO(13, sinf(100 * x - 50)) DO(14, cosf(1e5f * x)) DO(15, tanf(10 * x)) DO(16, asinf(2 * x - 1))            \
                DO(17, acosf(2 * x - 1)) DO(18, atanf(20 * x - 10)) DO(19, atan2f(x - 0.5f, y - 0.5f))                 \
                    DO(20, sinhf(10 * x - 5)) DO(21, coshf(10 * x - 5)) DO(22, tanhf(6 * x - 3))                       \
                        DO(23, asinhf(20 * x - 10)) DO(24, acoshf(1 + 20 * x)) DO(25, atanhf(1.99f * x - 0.995f))      \
                            DO(26, erff(6 * x - 3)) DO(27, erfcf(6 * x - 3)) DO(28, erfinvf(1.99f * x - 0.995f)) DO(   \
                                29, erfcinvf(1.9f * x + 0.05f)) DO(30, erfcxf(6 * x - 1)) DO(31, normcdff(8 * x - 4))  \
                                DO(32, normcdfinvf(x * 0.99f + 0.005f)) DO(33, tgammaf(8 * x - 2))                     \
                                    DO(34, lgammaf(20 * x)) DO(35, sinpif(4 * x)) DO(36, cospif(4 * x))                \
                                        DO(37, hypotf(x, y)) DO(38, rhypotf(x, y + 0.1f)) DO(39, norm3df(x, y, x - y)) \
                                            DO(40, rnorm3df(x, y, 1)) DO(41, fmodf(10 * x, y + 0.1f))                  \
                                                DO(42, remainderf(10 * x, y + 0.1f)) DO(43, x / (y + 0.1f))            \
                                                    DO(44, j0f(10 * x)) DO(45, j1f(10 * x))                            \
                                                        DO(46, y0f(10 * x + 0.01f)) DO(47, y1f(10 * x + 0.01f))        \
                                                            DO(48, fdimf(x, y)) DO(49, ldexpf(x, 5))
#define ONE(NUMBER, EXPRESSION) out[NUMBER * 512 + i] = EXPRESSION;
__global__ void all(float* out) {
    const int i = thread_of_grid();
    const float x = fraction(i), y = fraction(i, 1);
    EACH(ONE)
}
int main() {
    Array<float> out(50 * 512);
    all<<<4, 128>>>(out.data);
    for (int k = 0; k < 50; ++k) {
        Array<float> part(512);
        cudaMemcpy(part.data, out.data + k * 512, 512 * sizeof(float), cudaMemcpyDeviceToDevice);
        char name[16];
        snprintf(name, sizeof name, "function %d", k);
        part.show(name);
    }
}
