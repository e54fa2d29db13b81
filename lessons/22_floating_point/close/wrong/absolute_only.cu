// REPLY: An absolute tolerance alone is too strict for large numbers
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    return fabsf(a - b) <= absolute;
}
