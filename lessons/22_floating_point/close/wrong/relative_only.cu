// REPLY: Which of the two conditions should help there?
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    return fabsf(a - b) <= relative * fmaxf(fabsf(a), fabsf(b));
}
