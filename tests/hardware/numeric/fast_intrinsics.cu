// The intrinsics that -use_fast_math turns functions into.
#include "numeric.h"
__global__ void all(float* out, int n) {
    const int i = thread_of_grid();
    const float x = fraction(i), y = fraction(i, 1);
    float s, c;
    __sincosf(20 * x - 10, &s, &c);
    const float values[] = {__expf(20 * x - 10),
                            __exp10f(4 * x - 2),
                            __logf(100 * x + 1e-6f),
                            __log2f(x + 1e-6f),
                            __log10f(x + 0.5f),
                            __powf(10 * x, y),
                            __sinf(20 * x - 10),
                            __cosf(1000 * x),
                            __tanf(3 * x),
                            s,
                            c,
                            __fdividef(x, y + 1e-3f),
                            __frcp_rn(x + 0.1f),
                            __fsqrt_rn(x),
                            __frsqrt_rn(x + 0.1f),
                            __saturatef(3 * x - 1),
                            __fdiv_rn(x, y + 0.1f),
                            __fmul_rz(x, y),
                            __fmaf_rd(x, y, s),
                            __sinf(1e6f * x)};
    for (int k = 0; k < 20; ++k) out[k * n + i] = values[k];
}
int main() {
    Array<float> out(20 * 1024);
    all<<<8, 128>>>(out.data, 1024);
    for (int k = 0; k < 20; ++k) {
        Array<float> part(1024);
        cudaMemcpy(part.data, out.data + k * 1024, 1024 * sizeof(float), cudaMemcpyDeviceToDevice);
        char name[16];
        snprintf(name, sizeof name, "intrinsic %d", k);
        part.show(name);
    }
}
