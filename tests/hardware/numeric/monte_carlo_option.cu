// An Asian option on paths of geometric Brownian motion, with a hand-written Philox and Box-Muller.
#include "numeric.h"
__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const unsigned h0 = __umulhi(0xD2511F53u, counter.x), l0 = 0xD2511F53u * counter.x;
        const unsigned h1 = __umulhi(0xCD9E8D57u, counter.z), l1 = 0xCD9E8D57u * counter.z;
        counter = make_uint4(h1 ^ counter.y ^ key.x, l1, h0 ^ counter.w ^ key.y, l0);
        key.x += 0x9E3779B9u, key.y += 0xBB67AE85u;
    }
    return counter;
}
__global__ void paths(float* payoff, float* last, float2* normals) {
    const int i = thread_of_grid();
    float s = 100, sum = 0;
    for (int step = 0; step < 16; ++step) {
        const uint4 bits = philox(make_uint4(i, step, 0, 0), make_uint2(11, 22));
        const float u = (bits.x + 0.5f) * 2.3283064e-10f, v = (bits.y + 0.5f) * 2.3283064e-10f;
        const float r = sqrtf(-2 * logf(u));
        float sine, cosine;
        sincosf(6.2831853f * v, &sine, &cosine);
        if (step == 0) normals[i] = make_float2(r * sine, r * cosine);
        s *= expf((0.05f - 0.5f * 0.04f) * 0.01f + 0.2f * 0.1f * r * cosine);
        sum += s;
    }
    payoff[i] = expf(-0.05f) * fmaxf(sum / 16 - 100, 0.0f);
    last[i] = s;
}
int main() {
    Array<float> payoff(2048), last(2048);
    Array<float2> normals(2048);
    paths<<<16, 128>>>(payoff.data, last.data, normals.data);
    payoff.show("payoff"), last.show("last price"), normals.show("normals");
}
