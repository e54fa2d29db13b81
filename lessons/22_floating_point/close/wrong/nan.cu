// REPLY: Where does your function turn that into true?
#include <cmath>
__host__ __device__ bool close(float a, float b, float relative, float absolute) {
    float difference = fabsf(a - b), size = fmaxf(fabsf(a), fabsf(b));
    return !(difference > absolute && difference > relative * size);
}
