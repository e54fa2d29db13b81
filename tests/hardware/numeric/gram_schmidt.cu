// The QR factorization of 32 x 32 by Gram-Schmidt, and Givens rotations.
#include "numeric.h"
__global__ void factor(float* q, float* r, float* rotated) {
    const int row = threadIdx.x;
    float a[32];
    for (int k = 0; k < 32; ++k) a[k] = fraction(row * 32 + k) - 0.3f;
    for (int k = 0; k < 32; ++k) {
        for (int j = 0; j < k; ++j) {
            float dot = q[row * 32 + j] * a[k];
            for (int d = 16; d; d /= 2) dot += __shfl_xor_sync(~0u, dot, d);
            a[k] -= dot * q[row * 32 + j];
            if (row == 0) r[j * 32 + k] = dot;
        }
        float norm = a[k] * a[k];
        for (int d = 16; d; d /= 2) norm += __shfl_xor_sync(~0u, norm, d);
        const float inverse = rsqrtf(norm);
        q[row * 32 + k] = a[k] * inverse;
        if (row == 0) r[k * 32 + k] = norm * inverse;
    }
    float x = fraction(row, 5), y = fraction(row, 6);
    for (int k = 0; k < 10; ++k) {
        const float h = hypotf(x, y), c = x / h, s = y / h, u = fraction(k, row);
        x = c * u + s * (1 - u), y = -s * u + c * (1 - u);
    }
    rotated[row] = x + y;
}
int main() {
    Array<float> q(1024), r(1024), rotated(32);
    factor<<<1, 32>>>(q.data, r.data, rotated.data);
    q.show("q"), r.show("r"), rotated.show("rotated");
}
