// cuRAND's device API, Philox and MRG32k3a: four at a time, Poisson.
#include <curand_kernel.h>
#include "numeric.h"
__global__ void draw(float4* uniform, float4* normal, unsigned* poisson, float2* pairs, float* mrg) {
    const int i = thread_of_grid();
    curandStatePhilox4_32_10_t state;
    curand_init(99, i, 0, &state);
    curandStateMRG32k3a other;
    curand_init(7, i, 0, &other);
    for (int k = 0; k < 4; ++k) {
        const int at = k * 512 + i;
        uniform[at] = curand_uniform4(&state);
        normal[at] = curand_normal4(&state);
        pairs[at] = curand_normal2(&state);
        poisson[at] = curand_poisson(&state, 3.5);
        mrg[at] = curand_normal(&other);
    }
}
int main() {
    Array<float4> a(2048), b(2048);
    Array<unsigned> c(2048);
    Array<float2> d(2048);
    Array<float> e(2048);
    draw<<<4, 128>>>(a.data, b.data, c.data, d.data, e.data);
    a.show("uniform"), b.show("normal"), c.show("poisson"), d.show("pairs"), e.show("mrg32k3a");
}
