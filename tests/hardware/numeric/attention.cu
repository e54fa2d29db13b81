// One head of attention, 32 queries of 16 numbers, with rotary positions.
#include "numeric.h"
__global__ void attend(float* out, float* scores) {
    __shared__ float keys[32][17], values[32][17];
    const int i = threadIdx.x;
    float q[16];
    for (int k = 0; k < 8; ++k) {
        const float angle = i * powf(10000.0f, -2.0f * k / 16), s = sinf(angle), c = cosf(angle);
        const float a = fraction(i * 16 + k) - 0.5f, b = fraction(i * 16 + k + 8) - 0.5f,
                    d = fraction(i * 16 + k, 1) - 0.5f, e = fraction(i * 16 + k + 8, 1) - 0.5f;
        q[k] = a * c - b * s, q[k + 8] = a * s + b * c;
        keys[i][k] = d * c - e * s, keys[i][k + 8] = d * s + e * c;
        values[i][k] = fraction(i * 16 + k, 2), values[i][k + 8] = fraction(i * 16 + k + 8, 2);
    }
    __syncwarp();
    float high = -INFINITY, sum = 0, total[16] = {};
    for (int j = 0; j <= i; ++j) {
        float dot = 0;
        for (int k = 0; k < 16; ++k) dot += q[k] * keys[j][k];
        dot *= 4 * 0.25f;
        scores[i * 32 + j] = dot;
        const float next = fmaxf(high, dot), scale = expf(high - next), weight = expf(dot - next);
        sum = sum * scale + weight;
        for (int k = 0; k < 16; ++k) total[k] = total[k] * scale + weight * values[j][k];
        high = next;
    }
    for (int k = 0; k < 16; ++k) out[i * 16 + k] = total[k] / sum;
}
int main() {
    Array<float> out(512), scores(1024);
    attend<<<1, 32>>>(out.data, scores.data);
    out.show("attention"), scores.show("scores");
}
