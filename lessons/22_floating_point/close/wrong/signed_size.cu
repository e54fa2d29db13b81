// REPLY: Which size do you multiply
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    return fabsf(a - b) <= absolute || fabsf(a - b) <= relative * fmaxf(a, b);
}
