// REPLY: To which of the two sizes is the tolerance relative
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    float difference = fabsf(a - b), size = fabsf(a);
    return difference <= absolute || difference <= relative * size;
}
