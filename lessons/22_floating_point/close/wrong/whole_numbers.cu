// REPLY: Which function is for floats
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    float difference = abs(int(a - b)), size = fmaxf(fabsf(a), fabsf(b));
    return difference <= absolute || difference <= relative * size;
}
