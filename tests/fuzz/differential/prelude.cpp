// What the patterns call: operations that C++ leaves open made exact, and PTX that C++ has no word for.
#include "tests/fuzz/differential/kernel.h"

namespace cudash::fuzz {

std::string_view prelude() {
    return R"(typedef unsigned short half_bits;
struct Parameters { unsigned char byte; double number; half_bits halves[3]; unsigned words[5]; };
__constant__ unsigned constants[16] = {0u, 1u, 0xffffffffu, 0x80000000u, 0x7fffffffu, 7u, 100u, 0xdeadbeefu,
    31u, 32u, 33u, 0x3f800000u, 0x7f800000u, 0x00000001u, 0x0000ffffu, 0x55555555u};
__device__ unsigned bits_of(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
__device__ unsigned long long long_bits_of(double x) {
    return x != x ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(x);
}
__device__ float a_number(float x) { return x != x ? 1.0f : x; }
__device__ half_bits canonical_half(unsigned x) { return (x & 0x7fffu) > 0x7c00u ? 0x7fffu : (half_bits)x; }
__device__ unsigned canonical_half2(unsigned x) { return (unsigned)canonical_half(x >> 16) << 16 | canonical_half(x); }
__device__ unsigned signed_quotient(unsigned a, unsigned b) {
    return b == 0u || (a == 0x80000000u && b == 0xffffffffu) ? a : (unsigned)((int)a / (int)b);
}
__device__ unsigned signed_remainder(unsigned a, unsigned b) {
    return b == 0u || (a == 0x80000000u && b == 0xffffffffu) ? b : (unsigned)((int)a % (int)b);
}
__device__ unsigned long long long_quotient(unsigned long long a, unsigned long long b) {
    return b == 0ull || b == ~0ull ? a : (unsigned long long)((long long)a / (long long)b);
}
#define BINARY_HALF(name, instruction) __device__ half_bits name(half_bits a, half_bits b) { \
    half_bits r; asm(instruction " %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); return canonical_half(r); }
BINARY_HALF(half_add, "add.rn.f16")
BINARY_HALF(half_sub, "sub.rn.f16")
BINARY_HALF(half_mul, "mul.rn.f16")
BINARY_HALF(half_min, "min.f16")
BINARY_HALF(half_max, "max.f16")
__device__ half_bits half_fma(half_bits a, half_bits b, half_bits c) {
    half_bits r; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c)); return canonical_half(r);
}
__device__ half_bits half_abs(half_bits a) { half_bits r; asm("abs.f16 %0, %1;" : "=h"(r) : "h"(a)); return canonical_half(r); }
__device__ bool half_less(half_bits a, half_bits b) {
    unsigned r; asm("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "h"(a), "h"(b)); return r;
}
__device__ half_bits float_to_half(float a) { half_bits r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a)); return canonical_half(r); }
__device__ half_bits double_to_half(double a) { half_bits r; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(a)); return canonical_half(r); }
__device__ half_bits int_to_half(unsigned a) { half_bits r; asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r) : "r"(a)); return r; }
__device__ float half_to_float(half_bits a) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a)); return r; }
__device__ int half_to_int(half_bits a) { int r; asm("cvt.rni.s32.f16 %0, %1;" : "=r"(r) : "h"(a)); return r; }
__device__ unsigned half2_fma(unsigned a, unsigned b, unsigned c) {
    unsigned r; asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return canonical_half2(r);
}
__device__ unsigned half2_add_sat(unsigned a, unsigned b) {
    unsigned r; asm("add.rn.sat.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return canonical_half2(r);
}
__device__ unsigned bfloat_fma(unsigned a, unsigned b, unsigned c) {
    half_bits r; asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"((half_bits)a), "h"((half_bits)b), "h"((half_bits)c));
    return (r & 0x7fffu) > 0x7f80u ? 0x7fffu : r;
}
__device__ unsigned extract_bits(unsigned a, unsigned at, unsigned count) {
    unsigned r; asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(at & 63u), "r"(count & 63u)); return r;
}
__device__ unsigned extract_signed_bits(unsigned a, unsigned at, unsigned count) {
    unsigned r; asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(at & 63u), "r"(count & 63u)); return r;
}
__device__ unsigned insert_bits(unsigned a, unsigned b, unsigned at, unsigned count) {
    unsigned r; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(at & 63u), "r"(count & 63u)); return r;
}
__device__ unsigned find_top(unsigned a) { unsigned r; asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a)); return r; }
__device__ void add_wide(unsigned& low, unsigned& high, unsigned a, unsigned b) {
    asm("add.cc.u32 %0, %0, %2; addc.u32 %1, %1, %3;" : "+&r"(low), "+r"(high) : "r"(a), "r"(b));
}
__device__ unsigned add_carry(unsigned a, unsigned b, unsigned c, unsigned d) {
    unsigned r; asm("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, %4; }"
                    : "=r"(r) : "r"(a), "r"(b), "r"(c), "r"(d)); return r;
}
__device__ void add_by_swapping(unsigned* place, unsigned amount) {
    unsigned seen = *(volatile unsigned*)place, before;
    do { before = seen; seen = atomicCAS(place, before, before + amount); } while (seen != before);
}
__device__ __noinline__ unsigned descend(unsigned x, unsigned depth) {
    if (depth == 0u) return x * 17u + 1u;
    return descend(x ^ (depth * 0x9e3779b9u), depth - 1u) + (x >> depth);
}
)";
}

}  // namespace cudash::fuzz
