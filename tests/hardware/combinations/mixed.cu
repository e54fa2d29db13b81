// A walk through everything at once: intrinsics at their edges, groups, textures, copies of all shapes, symbols, streams,
// events, graphs, attributes of pointers. Each case in a process of its own.
#define FORK_CASES
#include "cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>

namespace cg = cooperative_groups;

void say(const char* what, cudaError_t error) {
    printf("%s %s: %s\n", current_case, what, cudaGetErrorName(error));
    cudaGetLastError();
}
#define SAY(...) say(#__VA_ARGS__, __VA_ARGS__)

// Each of `count` threads computes one value.
#define VALUES(name, type, count, ...)                            \
    __global__ void values_##name(type* out) {                    \
        const int i = threadIdx.x;                                \
        out[i] = (__VA_ARGS__);                                   \
    }                                                             \
    CASE(name) {                                                  \
        Shared<type> out(count);                                  \
        values_##name<<<1, count>>>(out.device);                  \
        out.tell("values");                                       \
    }

__device__ float edge(int i) {
    const float edges[] = {0.0f,     -0.0f,    1.0f,   -1.0f,   0.5f,    2.5f,          -2.5f,    1e10f,    -1e10f,  3e9f,  INFINITY,
                           -INFINITY, NAN,     1e-40f, 2147483648.0f, 4294967296.0f, 1.5f, 65504.0f, 65520.0f, 1e-8f, 127.5f, -128.5f};
    return edges[i % 22];
}
__device__ double wide_edge(int i) { return i < 22 ? edge(i) * (1 + 1e-12) : edge(i) * 1e200; }
__device__ unsigned mix(int i) { return 2654435761u * (i + 1) ^ (i << 7); }

VALUES(int_of_float, int, 22, (int)edge(i))
VALUES(unsigned_of_float, unsigned, 22, (unsigned)edge(i))
VALUES(long_of_float, long long, 22, (long long)edge(i))
VALUES(short_of_float, short, 22, (short)edge(i))
VALUES(char_of_float, signed char, 22, (signed char)edge(i))
VALUES(bool_of_float, unsigned char, 22, (unsigned char)(bool)edge(i))
VALUES(int_of_double, int, 44, (int)wide_edge(i))
VALUES(unsigned_long_of_double, unsigned long long, 44, (unsigned long long)wide_edge(i))
VALUES(float_of_double, float, 44, (float)wide_edge(i))
VALUES(round_modes, int, 22, __float2int_rn(edge(i)) ^ __float2int_ru(edge(i)) * 3 ^ __float2int_rd(edge(i)) * 5)
VALUES(half_of_float, unsigned short, 22, __half_as_ushort(__float2half(edge(i))))
VALUES(half_rounded_down, unsigned short, 22, __half_as_ushort(__float2half_rd(edge(i))))
VALUES(bfloat_of_float, unsigned short, 22, __bfloat16_as_ushort(__float2bfloat16(edge(i))))
VALUES(fp8_e4m3, unsigned char, 22, __nv_cvt_float_to_fp8(edge(i), __NV_SATFINITE, __NV_E4M3))
VALUES(fp8_e5m2, unsigned char, 22, __nv_cvt_float_to_fp8(edge(i), __NV_NOSAT, __NV_E5M2))
VALUES(int_of_half, int, 22, __half2int_rz(__float2half(edge(i))))
VALUES(divided_by_zero, int, 4, (int)(mix(i)) / (i & 1 ? 0 : 7 - 7 * (threadIdx.x > 1)))
VALUES(remainders, int, 33, (int)mix(i) % (i - 16 == 0 ? 5 : i - 16))
VALUES(least_by_minus_one, int, 2, (int)(0x80000000u + (i >> 4)) / (-1 - (i >> 5)))
VALUES(shifts, unsigned, 64, mix(i) << i | mix(i) >> (i + 1))
VALUES(signed_shifts, int, 64, (int)mix(i) >> i)
VALUES(funnels, unsigned, 64, __funnelshift_l(mix(i), mix(i + 1), i) ^ __funnelshift_rc(mix(i), mix(i + 1), i))
VALUES(byte_permutations, unsigned, 64, __byte_perm(mix(i), mix(i + 9), mix(i + 3)))
VALUES(bits_counted, int, 64, __clz(mix(i) >> (i & 31)) + 100 * __ffs(mix(i) << (i & 31)) + 10000 * __popc(mix(i)))
VALUES(bits_turned, unsigned long long, 64, __brevll((unsigned long long)mix(i) << 32 | mix(i + 1)))
VALUES(high_products, long long, 64, __mulhi((int)mix(i), (int)mix(i + 5)) + (long long)__umul24(mix(i), mix(i + 2)) + __mul24((int)mix(i), -7))
VALUES(averages, int, 64, __hadd((int)mix(i), (int)mix(i + 1)) ^ __rhadd((int)mix(i), 3) ^ (int)__sad((int)mix(i), 5, 9u))
VALUES(dot_products, int, 64, __dp4a((int)mix(i), (int)mix(i + 1), 5) + __dp2a_lo((int)mix(i), (int)mix(i + 2), 7))
VALUES(packed_additions, unsigned, 64, __vadd2(mix(i), mix(i + 1)) ^ __vaddss4(mix(i), mix(i + 2)) ^ __vabsdiffu4(mix(i), mix(i + 3)))
VALUES(packed_comparisons, unsigned, 64, __vcmpgts2(mix(i), mix(i + 1)) ^ __vmaxs4(mix(i), mix(i + 2)) ^ __vsetltu4(mix(i), mix(i + 3)))
VALUES(least_and_greatest, float, 44, fminf(edge(i), edge(i + 7)) + fmaxf(edge(i), edge(i + 9)))
VALUES(saturated, float, 22, __saturatef(edge(i)))
VALUES(rounded_sums, float, 44, __fadd_rd(edge(i), 0.3f) - __fadd_ru(edge(i), 0.3f))
VALUES(rounded_quotients, float, 44, __fdiv_rz(edge(i), 3.0f) * __frcp_ru(edge(i + 2)))
VALUES(rounded_roots, float, 44, __fsqrt_rd(edge(i)) + __fsqrt_ru(edge(i) + 1))
VALUES(remainder_functions, float, 44, fmodf(edge(i), 0.7f) + remainderf(edge(i), 0.3f))
VALUES(parts, float, 44, truncf(edge(i)) + 2 * rintf(edge(i)) + 4 * roundf(edge(i)) + 8 * floorf(edge(i)))
VALUES(scaled, float, 44, ldexpf(edge(i), i - 20) + scalbnf(edge(i), 20 - i) + logbf(edge(i)) + ilogbf(edge(i)))
VALUES(neighbours, float, 44, nextafterf(edge(i), edge(i + 3)) - edge(i))
VALUES(powers, float, 64, powf(edge(i % 22), edge(i / 3)))
VALUES(wide_powers, double, 64, pow(wide_edge(i % 44), (double)edge(i / 3)))
VALUES(exponentials, float, 64, expf(i * 0.37f - 12) + exp2f(i * 0.11f) + exp10f(i * -0.23f) + expm1f(i * 0.01f))
VALUES(logarithms, float, 64, logf(i * 0.37f + 1e-3f) + log2f(i + 0.5f) + log10f(i + 2.5f) + log1pf(i * 0.01f))
VALUES(circles, float, 64, sinf(i * 1.7f) + cosf(i * -3.3f) + tanf(i * 0.7f) + sinpif(i * 0.31f) + sinf(i * 1e6f))
VALUES(inverse_circles, float, 64, asinf(i / 64.0f) + acosf(i / -64.0f) + atanf(i - 32.0f) + atan2f(i - 30, 20 - i))
VALUES(hyperbolic, float, 64, sinhf(i * 0.1f) + coshf(i * -0.1f) + tanhf(i * 0.05f) + asinhf(i) + acoshf(i + 1) + atanhf(i / 65.0f))
VALUES(special_functions, float, 64, erff(i * 0.05f) + erfcf(i * 0.1f) + tgammaf(i * 0.2f + 0.1f) + lgammaf(i * 0.3f + 0.2f) + erfinvf(i / 65.0f))
VALUES(bessel, float, 64, j0f(i * 0.5f) + j1f(i * 0.4f) + y0f(i * 0.3f + 0.1f) + jnf(3, i * 0.2f) + cyl_bessel_i0f(i * 0.1f))
VALUES(normal_functions, float, 64, normcdff(i * 0.1f - 3) + normcdfinvf((i + 1) / 66.0f) + erfcxf(i * 0.2f) + erfcinvf((i + 1) / 33.0f))
VALUES(wide_functions, double, 64, exp(i * 0.3) + log(i + 0.1) + sin(i * 3.7) + cbrt(i * 1.1) + rsqrt(i + 0.3) + hypot((double)i, 3.0) + tgamma(i * 0.1 + 0.2))
VALUES(wide_special, double, 64, erf(i * 0.05) + erfinv(i / 65.0) + j0(i * 0.7) + y1(i * 0.3 + 0.2) + normcdfinv((i + 1) / 66.0) + lgamma(i * 0.4 + 0.3))
VALUES(norms, float, 64, norm3df(i, 2, 3) + rnorm3df(i, 1, 2) + norm4df(1, i, 3, 4) + rhypotf(i, 1) + rcbrtf(i + 1))
VALUES(fast_division, float, 64, __fdividef(edge(i), edge(i + 5)))
VALUES(fast_powers, float, 64, __powf(i * 0.3f, 1.7f) + __exp10f(i * 0.1f) + __tanf(i * 0.05f))
VALUES(halves, unsigned short, 64, __half_as_ushort(hexp(__float2half(i * 0.1f - 3)) + hlog(__float2half(i + 0.5f)) * hsin(__float2half(i * 0.2f))))
VALUES(half_roots, unsigned short, 64, __half_as_ushort(hsqrt(__float2half(i * 0.7f)) + hrcp(__float2half(i + 0.5f)) - hrsqrt(__float2half(i + 0.2f))))
VALUES(half_fused, unsigned short, 64, __half_as_ushort(__hfma_sat(__float2half(i * 0.02f), __float2half(1.3f), __float2half(-0.2f))))
VALUES(half_least, unsigned short, 44, __half_as_ushort(__hmin(__float2half(edge(i)), __float2half(edge(i + 4))) + __hmax_nan(__float2half(edge(i)), __float2half(1))))
VALUES(bfloats, unsigned short, 64, __bfloat16_as_ushort(hexp(__float2bfloat16(i * 0.1f - 3)) * __float2bfloat16(1.7f) + __float2bfloat16(i)))
VALUES(wide_integers, long long, 64, (long long)(((__int128)mix(i) * mix(i + 1) * (int)mix(i + 2)) >> 17))
VALUES(wide_division, unsigned long long, 64, ((unsigned long long)mix(i) << 32 | mix(i + 1)) / (mix(i + 2) >> (i & 15) | 1) ^ ((unsigned long long)mix(i) << 31) % (mix(i + 3) | 1))

// Groups.
__global__ void group_sums(int* out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    const int value = threadIdx.x * 7 % 13;
    int* mine = out + threadIdx.x * 8;
    mine[0] = cg::reduce(tile, value, cg::plus<int>());
    mine[1] = cg::reduce(tile, value, cg::greater<int>());
    mine[2] = cg::inclusive_scan(tile, value);
    mine[3] = cg::exclusive_scan(tile, value, cg::plus<int>());
    mine[4] = tile.meta_group_rank() * 100 + tile.meta_group_size();
    if (value & 1) {
        auto some = cg::coalesced_threads();
        mine[5] = some.size() * 1000 + some.thread_rank();
        mine[6] = cg::reduce(some, value, cg::bit_xor<int>());
        mine[7] = some.shfl(value, 0);
    }
}
CASE(groups) {
    Shared<int> out(96 * 8);
    group_sums<<<1, 96>>>(out.device);
    out.tell("sums");
}
__global__ void large_tiles(int* out) {
    __shared__ cg::block_tile_memory<128> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    out[threadIdx.x] = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>()) + tile.meta_group_rank() * 100000;
}
CASE(large_tiles) {
    Shared<int> out(128);
    large_tiles<<<1, 128>>>(out.device);
    out.tell("sums");
}
__global__ void together(int* out) {
    auto grid = cg::this_grid();
    if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x * 3;
    grid.sync();
    if (threadIdx.x == 0) out[16 + blockIdx.x] = out[(blockIdx.x + 5) % 16] + grid.num_blocks() * 100 + (grid.is_valid() ? 7 : 0);
}
CASE(cooperative_grid) {
    Shared<int> out(32);
    void* arguments[] = {&out.device};
    SAY(cudaLaunchCooperativeKernel((const void*)together, 16, 64, arguments, 0, 0));
    out.tell("values");
    int blocks = 0;
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, together, 64, 0));
    SAY(cudaLaunchCooperativeKernel((const void*)together, 100000, 64, arguments, 0, 0));
    SAY(cudaLaunchCooperativeKernel((const void*)together, 0, 64, arguments, 0, 0));
}
__global__ void __cluster_dims__(4, 1, 1) in_clusters(int* out) {
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine = cluster.block_rank() * 11 + blockIdx.x;
    cluster.sync();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, next) + 1000 * cluster.num_threads();
    cluster.sync();
}
CASE(clusters) {
    Shared<int> out(8);
    in_clusters<<<8, 32>>>(out.device);
    out.tell("values");
    in_clusters<<<6, 32>>>(out.device);
    SAY(cudaGetLastError());
}

// Atomics of every kind.
__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d, __half2* h) {
    const int t = threadIdx.x;
    atomicAdd(i, t), atomicSub(i + 1, t), atomicMin(i + 2, -t), atomicMax(i + 3, t), atomicAnd(i + 4, ~t), atomicOr(i + 5, t);
    atomicXor(i + 6, t * t);
    atomicInc(u, 9), atomicDec(u + 1, 9);
    atomicAdd(l, (unsigned long long)t << 33), atomicMax(l + 1, (unsigned long long)t << 40), atomicXor(l + 2, 1ull << t);
    atomicAdd(f, 0.5f), atomicAdd(d, 0.25);
    atomicAdd(h, __floats2half2_rn(1, 2));
    atomicMax((long long*)l + 3, -5ll - t);
}
CASE(atomics) {
    Shared<int> i(8);
    Shared<unsigned> u(2);
    Shared<unsigned long long> l(4);
    Shared<float> f(1);
    Shared<double> d(1);
    Shared<__half2> h(1);
    atomics<<<1, 64>>>(i.device, u.device, l.device, f.device, d.device, h.device);
    i.tell("ints"), u.tell("unsigned"), l.tell("long"), f.tell("float"), d.tell("double"), h.tell("half2");
}

// Textures and surfaces.
template <class T>
__global__ void sample(cudaTextureObject_t texture, T* out, float step, float begin) {
    out[threadIdx.x] = tex2D<T>(texture, begin + threadIdx.x * step, 0.37f + threadIdx.x * 0.21f);
}
void sample_all(const char* what, cudaTextureAddressMode address, cudaTextureFilterMode filter, bool normalized) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    if (!succeeded(cudaMallocArray(&array, &format, 9, 5))) return;
    const auto texels = random_floats(45, -3, 3);
    SAY(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 36, 36, 5, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = address;
    description.filterMode = filter;
    description.normalizedCoords = normalized;
    cudaTextureObject_t texture;
    if (!succeeded(cudaCreateTextureObject(&texture, &resource, &description, nullptr))) return;
    Shared<float> out(64);
    sample<<<1, 64>>>(texture, out.device, normalized ? 0.07f : 0.43f, normalized ? -1.3f : -4.1f);
    out.tell(what);
    SAY(cudaDestroyTextureObject(texture));
    SAY(cudaFreeArray(array));
}
CASE(texture_clamp) { sample_all("clamp", cudaAddressModeClamp, cudaFilterModePoint, false); }
CASE(texture_border) { sample_all("border", cudaAddressModeBorder, cudaFilterModeLinear, false); }
CASE(texture_wrap) { sample_all("wrap", cudaAddressModeWrap, cudaFilterModeLinear, true); }
CASE(texture_mirror) { sample_all("mirror", cudaAddressModeMirror, cudaFilterModePoint, true); }
CASE(texture_wrap_not_normalized) { sample_all("wrap", cudaAddressModeWrap, cudaFilterModePoint, false); }
CASE(texture_bytes) {
    unsigned char texels[64];
    for (int i = 0; i < 64; ++i) texels[i] = i * 37;
    Shared<unsigned char> memory(std::vector<unsigned char>(texels, texels + 64));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {memory.device, cudaCreateChannelDesc<unsigned char>(), 16, 2, 32};
    cudaTextureDesc description{};
    description.readMode = cudaReadModeNormalizedFloat;
    description.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    SAY(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    Shared<float> out(64);
    sample<<<1, 64>>>(texture, out.device, 0.3f, -1.0f);
    out.tell("samples");
    resource.res.pitch2D.pitchInBytes = 33;
    SAY(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
}
__global__ void paint(cudaSurfaceObject_t surface) {
    surf2Dwrite((int)(threadIdx.x * 10 + threadIdx.y), surface, threadIdx.x * 4, threadIdx.y, cudaBoundaryModeZero);
}
CASE(surfaces) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    SAY(cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore));
    SAY(cudaMemset2D(nullptr, 4, 0, 4, 1));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    SAY(cudaCreateSurfaceObject(&surface, &resource));
    paint<<<1, dim3(10, 5)>>>(surface);
    int out[32];
    SAY(cudaMemcpy2DFromArray(out, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
    show("painted", out, 32);
    cudaExtent extent;
    unsigned flags;
    SAY(cudaArrayGetInfo(&format, &extent, &flags, array));
    printf("%s info: %d %zu %zu %zu %u\n", current_case, format.x, extent.width, extent.height, extent.depth, flags);
}

// Copies of every shape.
CASE(copies_2d) {
    char* d;
    size_t pitch;
    SAY(cudaMallocPitch((void**)&d, &pitch, 100, 7));
    show("pitch", pitch);
    char h[700], back[700] = {};
    for (int i = 0; i < 700; ++i) h[i] = i * 11;
    SAY(cudaMemset2D(d, pitch, 0x5a, 100, 7));
    SAY(cudaMemcpy2D(d + 3, pitch, h, 100, 50, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(back, 100, d, pitch, 100, 7, cudaMemcpyDeviceToHost));
    show("back", back, 700);
    SAY(cudaMemcpy2D(back, 50, d, pitch, 100, 7, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2D(back, 100, d, pitch, 0, 7, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2D(back, 100, d, 99, 100, 7, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2D(back, 100, d, pitch, 100, 7, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(back, 100, d, pitch, 100, 7, cudaMemcpyDefault));
    SAY(cudaMemset2D(d, pitch, 1, pitch + 1, 2));
    SAY(cudaMemset2DAsync(d, pitch, 1, 10, 0, 0));
    SAY(cudaMallocPitch((void**)&d, &pitch, 0, 7));
    SAY(cudaMallocPitch((void**)&d, &pitch, 1 << 20, 1 << 30));
}
CASE(copies_3d) {
    cudaPitchedPtr p;
    SAY(cudaMalloc3D(&p, make_cudaExtent(30, 4, 3)));
    printf("%s pitched: %zu %zu %zu\n", current_case, p.pitch, p.xsize, p.ysize);
    SAY(cudaMemset3D(p, 7, make_cudaExtent(30, 4, 3)));
    unsigned char h[360] = {}, back[360] = {};
    for (int i = 0; i < 360; ++i) h[i] = i;
    cudaMemcpy3DParms c{};
    c.srcPtr = make_cudaPitchedPtr(h, 30, 30, 4);
    c.dstPtr = p;
    c.srcPos = make_cudaPos(5, 1, 0);
    c.dstPos = make_cudaPos(2, 0, 1);
    c.extent = make_cudaExtent(20, 3, 2);
    c.kind = cudaMemcpyHostToDevice;
    SAY(cudaMemcpy3D(&c));
    cudaMemcpy3DParms r{};
    r.srcPtr = p;
    r.dstPtr = make_cudaPitchedPtr(back, 30, 30, 4);
    r.extent = make_cudaExtent(30, 4, 3);
    r.kind = cudaMemcpyDefault;
    SAY(cudaMemcpy3D(&r));
    show("back", back, 360);
    r.extent.depth = 0;
    SAY(cudaMemcpy3D(&r));
    r.extent = make_cudaExtent(31, 4, 3);
    SAY(cudaMemcpy3D(&r));
    cudaMemcpy3DParms none{};
    SAY(cudaMemcpy3D(&none));
    none.extent = make_cudaExtent(1, 1, 1);
    SAY(cudaMemcpy3D(&none));
}
CASE(arrays_3d) {
    cudaArray_t a;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
    SAY(cudaMalloc3DArray(&a, &format, make_cudaExtent(6, 5, 4)));
    std::vector<short> h(240), back(240);
    for (int i = 0; i < 240; ++i) h[i] = i * 3;
    cudaMemcpy3DParms c{};
    c.srcPtr = make_cudaPitchedPtr(h.data(), 24, 24, 5);
    c.dstArray = a;
    c.extent = make_cudaExtent(6, 5, 4);
    c.kind = cudaMemcpyHostToDevice;
    SAY(cudaMemcpy3D(&c));
    cudaMemcpy3DParms r{};
    r.srcArray = a;
    r.srcPos = make_cudaPos(1, 1, 1);
    r.dstPtr = make_cudaPitchedPtr(back.data(), 24, 24, 5);
    r.extent = make_cudaExtent(4, 3, 2);
    r.kind = cudaMemcpyDeviceToHost;
    SAY(cudaMemcpy3D(&r));
    show("back", back.data(), 240);
    r.extent.width = 6;
    SAY(cudaMemcpy3D(&r));
    SAY(cudaMalloc3DArray(&a, &format, make_cudaExtent(6, 5, 4), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &format, make_cudaExtent(6, 6, 6), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &format, make_cudaExtent(0, 5, 4)));
    SAY(cudaMalloc3DArray(&a, &format, make_cudaExtent(100000, 5, 4)));
    SAY(cudaMalloc3DArray(&a, nullptr, make_cudaExtent(1, 5, 4)));
}

// What pointers are.
void tell_pointer(const char* what, const void* p) {
    cudaPointerAttributes a{};
    const cudaError_t error = cudaPointerGetAttributes(&a, p);
    printf("%s %s: %s type %d device %d %d %d\n", current_case, what, cudaGetErrorName(error), a.type, a.device,
           a.devicePointer == p, a.hostPointer == p);
    cudaGetLastError();
}
CASE(pointers) {
    char *device, *pinned, *mapped, *managed, *pooled;
    static char registered[8192];
    int local = 0;
    cudaMalloc(&device, 1000), cudaMallocHost(&pinned, 1000), cudaHostAlloc(&mapped, 1000, cudaHostAllocMapped);
    cudaMallocManaged(&managed, 1000), cudaMallocAsync(&pooled, 1000, 0);
    SAY(cudaHostRegister(registered + 1000, 3000, cudaHostRegisterDefault));
    tell_pointer("device", device), tell_pointer("inside", device + 500), tell_pointer("its end", device + 1000);
    tell_pointer("pinned", pinned), tell_pointer("mapped", mapped + 7), tell_pointer("managed", managed);
    tell_pointer("pooled", pooled), tell_pointer("registered", registered + 1500), tell_pointer("its page", registered + 4096 * 2 - 1);
    tell_pointer("local", &local), tell_pointer("null", nullptr), tell_pointer("function", (const void*)&tell_pointer);
    SAY(cudaHostRegister(registered + 2000, 100, 0));
    SAY(cudaHostUnregister(registered + 2000));
    SAY(cudaHostUnregister(registered + 1000));
    SAY(cudaHostUnregister(registered + 1000));
    unsigned flags = 0;
    SAY(cudaHostGetFlags(&flags, mapped));
    show("flags", flags);
    SAY(cudaHostGetFlags(&flags, &local));
    void* twin = nullptr;
    SAY(cudaHostGetDevicePointer(&twin, pinned, 0));
    show("the same", twin == pinned);
    SAY(cudaHostGetDevicePointer(&twin, pinned, 1));
    SAY(cudaHostGetDevicePointer(&twin, device, 0));
    SAY(cudaFree(device + 1));
    SAY(cudaFree(device));
    SAY(cudaFree(pinned));
    SAY(cudaFreeHost(pinned));
    SAY(cudaFreeHost(managed));
    SAY(cudaFree(managed));
    SAY(cudaFree(pooled));
    SAY(cudaFreeHost(&local));
    tell_pointer("freed", device);
}

// Streams, events and host functions.
CASE(events) {
    cudaEvent_t a, b, c;
    float ms = -1;
    SAY(cudaEventCreate(&a));
    SAY(cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
    SAY(cudaEventCreateWithFlags(&c, 77));
    SAY(cudaEventElapsedTime(&ms, a, a));
    SAY(cudaEventQuery(a));
    SAY(cudaEventSynchronize(a));
    SAY(cudaEventRecord(a));
    SAY(cudaEventRecord(b));
    SAY(cudaEventSynchronize(b));
    SAY(cudaEventElapsedTime(&ms, a, b));
    SAY(cudaEventElapsedTime(&ms, a, a));
    show("zero", ms == 0);
    SAY(cudaEventElapsedTime(nullptr, a, a));
    SAY(cudaEventRecordWithFlags(a, 0, cudaEventRecordExternal));
    SAY(cudaEventRecordWithFlags(a, 0, 5));
    SAY(cudaEventDestroy(a));
    SAY(cudaEventDestroy(nullptr));
    SAY(cudaStreamWaitEvent(0, b, 0));
    SAY(cudaStreamWaitEvent(0, b, 3));
}
CASE(streams) {
    cudaStream_t s, t;
    int low = 9, high = 9, priority = 9;
    unsigned flags = 9;
    unsigned long long id = 0;
    SAY(cudaDeviceGetStreamPriorityRange(&low, &high));
    show("low", low), show("high", high);
    SAY(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -100));
    SAY(cudaStreamGetPriority(s, &priority));
    show("priority", priority);
    SAY(cudaStreamGetFlags(s, &flags));
    show("flags", flags);
    SAY(cudaStreamCreateWithFlags(&t, 6));
    SAY(cudaStreamCreateWithPriority(&t, 0, 50));
    SAY(cudaStreamGetPriority(t, &priority));
    show("priority", priority);
    SAY(cudaStreamGetId(0, &id));
    SAY(cudaStreamGetPriority(cudaStreamPerThread, &priority));
    SAY(cudaStreamQuery(s));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamQuery(s));
    SAY(cudaStreamSynchronize(s));
    cudaGraph_t graph;
    SAY(cudaStreamEndCapture(s, &graph));
    SAY(cudaStreamDestroy(s));
    SAY(cudaStreamDestroy(t));
    SAY(cudaStreamDestroy(0));
}
std::vector<int> order;
void CUDART_CB note(void* what) { order.push_back((int)(intptr_t)what); }
void CUDART_CB call_inside(void*) { order.push_back(cudaMalloc((void**)&order, 0)); }
__global__ void add_one(int* p) { atomicAdd(p, 1); }
CASE(host_functions) {
    cudaStream_t s;
    cudaStreamCreate(&s);
    Shared<int> p(1);
    for (int i = 0; i < 4; ++i) {
        add_one<<<2, 3, 0, s>>>(p.device);
        SAY(cudaLaunchHostFunc(s, note, (void*)(intptr_t)i));
    }
    SAY(cudaLaunchHostFunc(s, nullptr, nullptr));
    SAY(cudaStreamSynchronize(s));
    show("order", order.data(), (int)order.size());
    p.tell("count");
}

// Launches that can't be.
__global__ void __launch_bounds__(128) bounded(int* p) { p[threadIdx.x] = 1; }
__global__ void much_shared(int* p) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    p[0] = s[0];
}
CASE(launches) {
    Shared<int> p(2048);
    bounded<<<1, 129>>>(p.device), SAY(cudaGetLastError());
    bounded<<<1, 128>>>(p.device), SAY(cudaGetLastError());
    bounded<<<0, 128>>>(p.device), SAY(cudaGetLastError());
    bounded<<<1, dim3(4, 4, 65)>>>(p.device), SAY(cudaGetLastError());
    bounded<<<dim3(1, 65536), 1>>>(p.device), SAY(cudaGetLastError());
    much_shared<<<1, 32, 48 << 10>>>(p.device), SAY(cudaGetLastError());
    much_shared<<<1, 32, (48 << 10) + 1>>>(p.device), SAY(cudaGetLastError());
    SAY(cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    SAY(cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, (227 << 10) + 1));
    SAY(cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SAY(cudaFuncSetAttribute(much_shared, (cudaFuncAttribute)3, 1));
    int blocks = 0, size = 0;
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, much_shared, 32, 100 << 10));
    show("blocks", blocks);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
    show("blocks", blocks);
    SAY(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, bounded));
    show("blocks", blocks), show("size", size);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 0, 0));
    cudaFuncAttributes attributes;
    SAY(cudaFuncGetAttributes(&attributes, bounded));
    show("threads", attributes.maxThreadsPerBlock), show("dynamic", attributes.maxDynamicSharedSizeBytes);
    SAY(cudaFuncGetAttributes(&attributes, (const void*)&order));
    SAY(cudaLaunchKernel((const void*)&order, dim3(1), dim3(1), nullptr, 0, 0));
}
CASE(sticky) {
    int* p = nullptr;
    add_one<<<1, 1>>>(p);
    SAY(cudaPeekAtLastError());
    printf("%s: %s\n", current_case, cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s: %s\n", current_case, cudaGetErrorName(cudaGetLastError()));
    printf("%s: %s\n", current_case, cudaGetErrorName(cudaGetLastError()));
    SAY(cudaMalloc(&p, 4));
    cudaStream_t s;
    SAY(cudaStreamCreate(&s));
    SAY(cudaFuncSetCacheConfig(add_one, cudaFuncCachePreferL1));
    int count = 0;
    SAY(cudaGetDeviceCount(&count));
    SAY(cudaSetDevice(0));
    SAY(cudaSetDevice(99));
    SAY(cudaDeviceReset());
    SAY(cudaMalloc(&p, 4));
}
CASE(zeros) {
    void* p = &p;
    SAY(cudaMalloc(&p, 0));
    show("null", p == nullptr);
    SAY(cudaMallocHost(&p, 0));
    SAY(cudaMallocManaged(&p, 0));
    SAY(cudaMallocAsync(&p, 0, 0));
    SAY(cudaMalloc(nullptr, 4));
    SAY(cudaMalloc(&p, ~size_t{0}));
    SAY(cudaMemset(nullptr, 0, 0));
    SAY(cudaMemset(nullptr, 0, 1));
    SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, &p, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(&p, &p, 4, (cudaMemcpyKind)9));
    SAY(cudaFree(nullptr));
    SAY(cudaFreeHost(nullptr));
    SAY(cudaFreeArray(nullptr));
    SAY(cudaFreeAsync(nullptr, 0));
    SAY(cudaHostRegister(nullptr, 4, 0));
    SAY(cudaMemPrefetchAsync(nullptr, 4, {cudaMemLocationTypeDevice, 0}, 0, 0));
    int value = 0;
    SAY(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 7));
    SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    size_t limit = 0;
    SAY(cudaDeviceGetLimit(&limit, (cudaLimit)77));
    SAY(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 0));
    SAY(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    show("limit", limit);
    SAY(cudaDeviceSetCacheConfig((cudaFuncCache)7));
    SAY(cudaChooseDevice(&value, nullptr));
    SAY(cudaDriverGetVersion(nullptr));
}
CASE(windows) {
    cudaStream_t s;
    cudaStreamCreate(&s);
    char* p;
    cudaMalloc(&p, 1 << 20);
    cudaStreamAttrValue v{};
    SAY(cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
    printf("%s fresh: %zu %g %d %d\n", current_case, v.accessPolicyWindow.num_bytes, v.accessPolicyWindow.hitRatio,
           v.accessPolicyWindow.hitProp, v.accessPolicyWindow.missProp);
    v.accessPolicyWindow = {p, 1 << 20, 0.6f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
    SAY(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 1.5f;
    SAY(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    SAY(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    v.accessPolicyWindow.num_bytes = size_t{1} << 40;
    SAY(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
    SAY(cudaStreamCopyAttributes(0, s));
    SAY(cudaCtxResetPersistingL2Cache());
    SAY(cudaStreamSetAttribute(s, (cudaStreamAttrID)55, &v));
}
