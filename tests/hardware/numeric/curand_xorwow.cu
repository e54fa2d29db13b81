// cuRAND's device API, XORWOW: uniform, normal, log-normal, exponential by inversion.
#include <curand_kernel.h>
#include "numeric.h"
__global__ void draw(float* uniform, float* normal, float* log_normal, float* exponential, double* in_double) {
    const int i = thread_of_grid();
    curandState state;
    curand_init(1234, i, 0, &state);
    for (int k = 0; k < 8; ++k) {
        const int at = k * 512 + i;
        uniform[at] = curand_uniform(&state);
        normal[at] = curand_normal(&state);
        log_normal[at] = curand_log_normal(&state, 0.5f, 0.3f);
        exponential[at] = -logf(curand_uniform(&state)) * 2;
        in_double[at] = curand_normal_double(&state);
    }
}
int main() {
    Array<float> a(4096), b(4096), c(4096), d(4096);
    Array<double> e(4096);
    draw<<<4, 128>>>(a.data, b.data, c.data, d.data, e.data);
    a.show("uniform"), b.show("normal"), c.show("log-normal"), d.show("exponential"), e.show("normal of doubles");
}
