// REPLY: What is missing?
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    return a - b <= absolute || a - b <= relative * b;
}
