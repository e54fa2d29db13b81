// Rows of 256, a warp each: the largest, the sum, quotients; with expf and __expf.
#include "numeric.h"
__global__ void softmax(float* out, float* fast, float* logs) {
    const int lane = threadIdx.x, row = blockIdx.x;
    float x[8], high = -INFINITY, sum = 0, quick = 0;
    for (int k = 0; k < 8; ++k) {
        x[k] = 20 * (fraction(row * 256 + k * 32 + lane) - 0.5f);
        high = fmaxf(high, x[k]);
    }
    for (int d = 16; d; d /= 2) high = fmaxf(high, __shfl_xor_sync(~0u, high, d));
    for (int k = 0; k < 8; ++k) sum += expf(x[k] - high), quick += __expf(x[k] - high);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d), quick += __shfl_xor_sync(~0u, quick, d);
    for (int k = 0; k < 8; ++k) {
        const int at = row * 256 + k * 32 + lane;
        out[at] = expf(x[k] - high) / sum;
        fast[at] = __fdividef(__expf(x[k] - high), quick);
        logs[at] = x[k] - high - logf(sum);
    }
}
int main() {
    Array<float> out(64 * 256), fast(64 * 256), logs(64 * 256);
    softmax<<<64, 32>>>(out.data, fast.data, logs.data);
    out.show("softmax"), fast.show("fast softmax"), logs.show("log softmax");
}
