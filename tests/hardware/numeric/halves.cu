// Softmax and activations in half and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "numeric.h"
__global__ void in_half(__half* out, __half2* pairs, __half* others) {
    const int lane = threadIdx.x, row = blockIdx.x;
    __half x[8], high = __float2half(-65504.0f);
    float sum = 0;
    for (int k = 0; k < 8; ++k)
        x[k] = __float2half(10 * fraction(row * 256 + k * 32 + lane) - 5), high = __hmax(high, x[k]);
    for (int d = 16; d; d /= 2) high = __hmax(high, __shfl_xor_sync(~0u, high, d));
    for (int k = 0; k < 8; ++k) x[k] = hexp(__hsub(x[k], high)), sum += __half2float(x[k]);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    const __half inverse = __float2half(1 / sum);
    for (int k = 0; k < 8; ++k) {
        const int at = row * 256 + k * 32 + lane;
        out[at] = __hmul(x[k], inverse);
        pairs[at] = h2exp2(__halves2half2(x[k], __hneg(x[k])));
        const __half v = __hadd(x[k], __float2half(0.25f));
        others[at] = __hadd(__hadd(hlog(v), hsqrt(v)),
                            __hadd(__hadd(hrsqrt(v), hrcp(v)), __hadd(hsin(v), __hfma(hcos(v), hlog2(v), hexp10(v)))));
    }
}
__global__ void in_bfloat16(__nv_bfloat16* out, __nv_bfloat162* pairs, __nv_bfloat16* others) {
    const int i = thread_of_grid();
    const __nv_bfloat16 x = __float2bfloat16(4 * fraction(i) + 0.1f), y = __float2bfloat16(fraction(i, 1));
    out[i] = __hdiv(hexp(x), __hadd(hexp(x), hexp(y)));
    pairs[i] = h2exp2(__halves2bfloat162(x, y));
    others[i] = __hadd(__hadd(hlog(x), hsqrt(x)),
                       __hadd(__hadd(hrsqrt(x), hrcp(x)), __hadd(hsin(x), __hfma(hcos(x), hlog2(x), y))));
}
int main() {
    Array<__half> a(4096), c(4096);
    Array<__half2> b(4096);
    Array<__nv_bfloat16> d(4096), f(4096);
    Array<__nv_bfloat162> e(4096);
    in_half<<<16, 32>>>(a.data, b.data, c.data);
    in_bfloat16<<<32, 128>>>(d.data, e.data, f.data);
    a.show("half softmax"), b.show("half pairs"), c.show("half functions"), d.show("bfloat16 sigmoid"),
        e.show("bfloat16 pairs"), f.show("bfloat16 functions");
}
