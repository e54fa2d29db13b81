// Mean and variance of rows of 256, and RMS normalization.
#include "numeric.h"
__device__ float warp_sum(float x) {
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}
__global__ void normalize(float* layer, float* rms) {
    float x[8], sum = 0, squares = 0, all = 0;
    for (int k = 0; k < 8; ++k) {
        x[k] = 3 * fraction(blockIdx.x * 256 + k * 32 + threadIdx.x) - 1;
        sum += x[k];
        all += x[k] * x[k];
    }
    const float mean = warp_sum(sum) / 256;
    for (int k = 0; k < 8; ++k) squares += (x[k] - mean) * (x[k] - mean);
    const float scale = rsqrtf(warp_sum(squares) / 256 + 1e-5f), root = 1 / sqrtf(warp_sum(all) * (1.0f / 256) + 1e-6f);
    for (int k = 0; k < 8; ++k) {
        const int column = k * 32 + threadIdx.x, at = blockIdx.x * 256 + column;
        layer[at] = (x[k] - mean) * scale * (1 + 0.1f * fraction(column, 1)) + fraction(column, 2);
        rms[at] = x[k] * root * (1 + 0.1f * fraction(column, 1));
    }
}
int main() {
    Array<float> layer(64 * 256), rms(64 * 256);
    normalize<<<64, 32>>>(layer.data, rms.data);
    layer.show("layer norm"), rms.show("rms norm");
}
