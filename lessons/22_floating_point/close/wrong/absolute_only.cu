// REPLY: To what should the difference be compared?
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    return fabsf(a - b) <= absolute;
}
