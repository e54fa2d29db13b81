// Pi by points in a circle, and integrals by sampling.
#include <curand_kernel.h>
#include "numeric.h"
__global__ void sample(int* inside, float* integral, float* buffon) {
    const int i = thread_of_grid();
    curandState state;
    curand_init(42, i, 0, &state);
    int hits = 0, crossed = 0;
    float sum = 0;
    for (int k = 0; k < 64; ++k) {
        const float x = curand_uniform(&state), y = curand_uniform(&state);
        hits += x * x + y * y <= 1;
        sum += expf(-x * x) * sinf(3 * y);
        crossed += y < sinf(x * 3.14159265f);
    }
    inside[i] = hits;
    integral[i] = sum / 64;
    buffon[i] = 2.0f * 64 / crossed;
}
int main() {
    Array<int> inside(1024);
    Array<float> integral(1024), buffon(1024);
    sample<<<8, 128>>>(inside.data, integral.data, buffon.data);
    inside.show("inside"), integral.show("integral"), buffon.show("buffon");
}
