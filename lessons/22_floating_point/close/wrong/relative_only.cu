// REPLY: Near zero, a relative tolerance is almost 0
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    return fabsf(a - b) <= relative * fmaxf(fabsf(a), fabsf(b));
}
