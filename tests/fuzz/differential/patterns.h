// What random kernels are made of: one table for each kind of expression and statement. $u is any 32-bit expression, $l
// any 64-bit one, $f float, $d double, $h the bits of a half, $c a condition, $k a literal, $v a value that is the same
// in all threads of the block. Capital letters are variables of that kind. Each table begins with what has no operands.
#pragma once

#include <array>
#include <string_view>

namespace cudash::fuzz {

struct PatternTable {
    std::size_t leaves;  ///< entries at the beginning that end the recursion
    std::array<std::string_view, 80> entries;
    std::size_t size() const {
        std::size_t count = 0;
        while (count < entries.size() && !entries[count].empty()) ++count;
        return count;
    }
};

constexpr PatternTable word_patterns{
    9,
    {"$U", "$U", "$U", "$k", "tid", "(block_number + 3u)", "lane", "bits_of($F)", "parameters.words[$U % 5u]",
     // arithmetic and logic
     "($u + $u)", "($u - $u)", "($u * $u)", "($u & $u)", "($u | $u)", "($u ^ $u)", "(~$u)", "($u << ($u & 31u))",
     "($u >> ($u & 31u))", "(unsigned)((int)$u >> ($u & 31u))", "($u / ($u | 1u))", "($u % ($u | 1u))",
     "signed_quotient($u, $u)", "signed_remainder($u, $u)", "min($u, $u)", "max($u, $u)",
     "(unsigned)min((int)$u, (int)$u)", "(unsigned)max((int)$u, (int)$u)", "($c ? $u : $u)", "(unsigned)($c)",
     // narrow integers
     "(unsigned)(unsigned short)($u * $u)", "(unsigned)(int)(short)($u + $u)", "(unsigned)(int)(signed char)$u",
     "(unsigned)(unsigned char)($u >> 3)", "(unsigned)(unsigned short)((unsigned short)$u >> ($u & 15u))",
     // bits
     "(unsigned)__popc($u)", "(unsigned)__clz((int)$u)", "(unsigned)__ffs((int)$u)", "__brev($u)",
     "__byte_perm($u, $u, $u)", "__funnelshift_l($u, $u, $u)", "__funnelshift_r($u, $u, $u)",
     "__funnelshift_lc($u, $u, $u)", "__funnelshift_rc($u, $u, $u)", "extract_bits($u, $u, $u)",
     "extract_signed_bits($u, $u, $u)", "insert_bits($u, $u, $u, $u)", "find_top($u)",
     // products and sums
     "__umulhi($u, $u)", "(unsigned)__mulhi((int)$u, (int)$u)", "__umul24($u, $u)",
     "(unsigned)__mul24((int)$u, (int)$u)", "__usad($u, $u, $u)", "__sad((int)$u, (int)$u, $u)", "__uhadd($u, $u)",
     "(unsigned)__rhadd((int)$u, (int)$u)", "__dp4a((unsigned)$u, (unsigned)$u, (unsigned)$u)",
     "(unsigned)__dp4a((int)$u, (int)$u, (int)$u)", "__vabsdiffu4($u, $u)", "add_carry($u, $u, $u, $u)",
     // other types
     "(unsigned)$l", "(unsigned)($l >> 32)", "(unsigned)__popcll($l)", "(unsigned)__clzll((long long)$l)",
     "(unsigned)__float2int_rn($f)", "(unsigned)__float2int_rz($f)", "__float2uint_ru($f)", "__double2uint_rd($d)",
     "(unsigned)__double2int_rz($d)", "(unsigned)$h", "(unsigned)half_to_int($h)", "bfloat_fma($u, $u, $u)",
     "half2_fma($u, $u, $u)", "half2_add_sat($u, $u)",
     // memory
     "in[$u % 4096u]", "(unsigned)((const unsigned char*)in)[$u % 16384u]", "local[$u % 8u]", "constants[$u % 16u]"}};

constexpr PatternTable long_patterns{3,
                                     {"$L",
                                      "$L",
                                      "0x123456789abcdefull",
                                      "($l + $l)",
                                      "($l - $l)",
                                      "($l * $l)",
                                      "($l & $l)",
                                      "($l ^ $l)",
                                      "($l | $l)",
                                      "($l << ($u & 63u))",
                                      "($l >> ($u & 63u))",
                                      "(unsigned long long)((long long)$l >> ($u & 63u))",
                                      "($l / ($l | 1ull))",
                                      "($l % ($l | 1ull))",
                                      "long_quotient($l, $l)",
                                      "((unsigned long long)$u << 32 | $u)",
                                      "((unsigned long long)$u * $u)",
                                      "(unsigned long long)((long long)(int)$u * (int)$u)",
                                      "__umul64hi($l, $l)",
                                      "(unsigned long long)__mul64hi((long long)$l, (long long)$l)",
                                      "__brevll($l)",
                                      "min($l, $l)",
                                      "max($l, $l)",
                                      "(unsigned long long)min((long long)$l, (long long)$l)",
                                      "($c ? $l : $l)",
                                      "long_bits_of($d)",
                                      "(unsigned long long)__float2ll_rz($f)",
                                      "__float2ull_rn($f)",
                                      "(unsigned long long)__double2ll_rd($d)",
                                      "__double2ull_rz($d)",
                                      "((const unsigned long long*)in)[$u % 2048u]",
                                      "(unsigned long long)(long long)(int)$u"}};

constexpr PatternTable float_patterns{8,
                                      {"$F",
                                       "$F",
                                       "$F",
                                       "1.5f",
                                       "-0.0f",
                                       "3.0e38f",
                                       "1.0e-40f",
                                       "(float)parameters.byte",
                                       "($f + $f)",
                                       "($f - $f)",
                                       "($f * $f)",
                                       "($f / $f)",
                                       "(-($f))",
                                       "fmaf($f, $f, $f)",
                                       "sqrtf($f)",
                                       "sqrtf(fabsf($f))",
                                       "fabsf($f)",
                                       "fminf($f, $f)",
                                       "fmaxf($f, $f)",
                                       "floorf($f)",
                                       "ceilf($f)",
                                       "truncf($f)",
                                       "rintf($f)",
                                       "copysignf($f, a_number($f))",
                                       "__fadd_rz($f, $f)",
                                       "__fadd_ru($f, $f)",
                                       "__fmul_rd($f, $f)",
                                       "__fmul_rz($f, $f)",
                                       "__fmaf_ru($f, $f, $f)",
                                       "__fmaf_rz($f, $f, $f)",
                                       "__fdiv_rd($f, $f)",
                                       "__frcp_rn($f)",
                                       "__fsqrt_ru($f)",
                                       "__saturatef($f)",
                                       "($c ? $f : $f)",
                                       "(float)(int)$u",
                                       "(float)$u",
                                       "__int2float_rd((int)$u)",
                                       "__uint2float_rz($u)",
                                       "(float)$l",
                                       "__ll2float_ru((long long)$l)",
                                       "(float)$d",
                                       "__double2float_rz($d)",
                                       "__uint_as_float($u)",
                                       "half_to_float($h)",
                                       "((const float*)in)[$u % 4096u]",
                                       "(float)(short)$u"}};

constexpr PatternTable double_patterns{4,
                                       {"$D",
                                        "$D",
                                        "parameters.number",
                                        "0.1",
                                        "($d + $d)",
                                        "($d - $d)",
                                        "($d * $d)",
                                        "($d / $d)",
                                        "(-($d))",
                                        "fma($d, $d, $d)",
                                        "sqrt(fabs($d))",
                                        "fabs($d)",
                                        "fmin($d, $d)",
                                        "fmax($d, $d)",
                                        "floor($d)",
                                        "ceil($d)",
                                        "trunc($d)",
                                        "rint($d)",
                                        "__dadd_rz($d, $d)",
                                        "__dmul_ru($d, $d)",
                                        "__fma_rd($d, $d, $d)",
                                        "__ddiv_ru($d, $d)",
                                        "__dsqrt_rz($d)",
                                        "($c ? $d : $d)",
                                        "(double)(int)$u",
                                        "(double)$u",
                                        "(double)(long long)$l",
                                        "__ull2double_rz($l)",
                                        "(double)$f",
                                        "__longlong_as_double((long long)$l)",
                                        "((const double*)in)[$u % 2048u]"}};

constexpr PatternTable half_patterns{
    3,
    {"$H", "$H", "(half_bits)0x3c00", "half_add($h, $h)", "half_sub($h, $h)", "half_mul($h, $h)",
     "half_fma($h, $h, $h)", "half_min($h, $h)", "half_max($h, $h)", "half_abs($h)", "float_to_half($f)",
     "double_to_half($d)", "int_to_half($u)", "parameters.halves[$u % 3u]", "canonical_half($u)"}};

constexpr PatternTable condition_patterns{3,
                                          {"($U > $U)",
                                           "(lane & 1u)",
                                           "($F < $F)",
                                           "($u == $u)",
                                           "($u < $u)",
                                           "((int)$u < (int)$u)",
                                           "((int)$u >= 0)",
                                           "($l < $l)",
                                           "((long long)$l > (long long)$l)",
                                           "($f < $f)",
                                           "($f >= $f)",
                                           "($f != $f)",
                                           "!($f > $f)",
                                           "($d <= $d)",
                                           "($d == $d)",
                                           "half_less($h, $h)",
                                           "($c && $c)",
                                           "($c || $c)",
                                           "!$c",
                                           "(($u >> ($u & 31u)) & 1u)",
                                           "isinf($f)",
                                           "isnan($d)"}};

/// Values that all threads of a block agree on.
constexpr PatternTable uniform_patterns{6,
                                        {"block_number", "in[17]", "in[1023]", "gridDim.x", "parameters.words[1]", "3u",
                                         "($v + $v)", "($v ^ $v)", "($v * $v)", "($v >> 7)"}};

/// What a thread does by itself.
constexpr std::array<std::string_view, 24> simple_patterns{
    "$U = $u;",
    "$U = $u;",
    "$U += $u;",
    "$U ^= $u;",
    "$L = $l;",
    "$L += $l;",
    "$F = $f;",
    "$F = $f;",
    "$D = $d;",
    "$H = $h;",
    "local[$u % 8u] = $u;",
    "local[$u % 8u] += $u;",
    "((unsigned char*)local)[$u % 32u] = (unsigned char)$u;",
    "$U = helper_a($u, $f);",
    "$L ^= helper_b($l, $u, local);",
    "$U = ($c ? helper_a : helper_c)($u, $f);",
    "$U ^= descend($u, $u % 5u);",
    "{ const uint4 four = ((const uint4*)in)[$u % 1024u]; $U = four.x ^ four.z; $U += four.y - four.w; }",
    "{ const float2 two = ((const float2*)in)[$u % 2048u]; $F = two.x; $F = two.y; }",
    "{ const ulonglong2 two = ((const ulonglong2*)in)[$u % 1024u]; $L = two.x + two.y; }",
    "{ const ushort4 four = ((const ushort4*)in)[$u % 2048u]; $H = canonical_half(four.y); $U += (unsigned)four.x * "
    "four.w; }",
    "{ const char4 four = ((const char4*)in)[$u % 4096u]; $U += (unsigned)(four.x * four.y) ^ (unsigned)(four.z - "
    "four.w); }",
    "{ unsigned low = $u, high = $u; add_wide(low, high, $u, $u); $U = low; $U ^= high; }",
    "{ const unsigned chosen = $u; $U = chosen ? $U : chosen - 1u; }",
};

/// Rows of numbers, whose ends differ from thread to thread: loops that hardly do more than load.
constexpr std::array<std::string_view, 10> row_patterns{
    "for (unsigned k = $u % 1024u, end = k + $u % 40u; k < end; ++k) $U += in[in[k] % 4096u];",
    "for (unsigned k = $u % 1024u, end = k + $u % 40u; k < end; ++k) $U = $U * 3u ^ in[k];",
    "for (unsigned k = $u % 1024u, end = k + $u % 24u; k < end; ++k) $F = fmaf(((const float*)in)[k], ((const "
    "float*)in)[in[k] % 4096u], $F);",
    "for (unsigned k = $u % 1024u, end = k + $u % 70u; k < end; ++k) $F += ((const float*)in)[k];",
    "for (unsigned k = $u % 1024u, end = k + $u % 40u; k < end; k += 3u) $D += ((const double*)in)[k];",
    "for (unsigned k = $u % 1024u, end = k + $u % 40u; k < end; ++k) $L ^= ((const unsigned long long*)in)[in[k] % "
    "2048u] + k;",
    "for (unsigned k = $u % 1024u; k < 2000u && in[k] % 8u != 0u; ++k) $U = $U * 33u + ((const unsigned char*)in)[k];",
    "for (int k = (int)($u % 1024u), left = (int)($u % 40u); left > 0; --left, ++k) $U -= "
    "(unsigned)(int)((const short*)in)[((const unsigned short*)in)[k] % 8192u];",
    "for (unsigned k = 0, row = $u % 1024u; k < $U % 32u; ++k) $H = canonical_half(in[row + k] ^ $H);",
    "{ bool some = $c; for (unsigned k = $u % 1024u, end = k + $u % 40u; k < end; ++k) some = some != (in[k] > "
    "in[in[k] % 4096u]); $U += (unsigned)some; }",
};

/// Atomics whose final result does not depend on the order: every place has one operation.
constexpr std::array<std::string_view, 17> atomic_patterns{
    "atomicAdd(&totals32[0], $u);",
    "atomicMin(&totals32[1], $u);",
    "atomicMax((int*)&totals32[2], (int)$u);",
    "atomicAnd(&totals32[3], $u | 0xffu);",
    "atomicOr(&totals32[4], $u & 0xff00ffu);",
    "atomicXor(&totals32[5], $u);",
    "atomicInc(&totals32[6], 1000u);",
    "atomicDec(&totals32[7], 777u);",
    "atomicAdd((float*)&totals32[8], (float)($u & 3u));",
    "atomicSub(&totals32[9], $u);",
    "atomicAdd(&totals64[5], $l);",
    "atomicMax(&totals64[6], $l);",
    "atomicMin((long long*)&totals64[7], (long long)$l);",
    "atomicXor(&totals64[8], $l);",
    "atomicAdd((double*)&totals64[9], (double)($u & 7u));",
    "add_by_swapping(&totals32[20], $u);",
    "if ($c) atomicAdd(&totals32[22 + ($u % 8u)], 1u);",
};

/// What the threads of a warp or block do together, where all of them arrive.
constexpr std::array<std::string_view, 24> collective_patterns{
    "{ const unsigned v = $u; shared[tid] = v; __syncthreads(); $U ^= shared[$u % threads]; __syncthreads(); }",
    "{ const unsigned v = $u; shared[(tid * 33u) % 1024u] = v; __syncthreads(); $U += shared[((tid ^ 1u) % threads) * "
    "33u % 1024u]; __syncthreads(); }",
    "{ shared[tid] = __float_as_uint($f); __syncthreads(); $F = __uint_as_float(shared[threads - 1u - tid]); "
    "__syncthreads(); }",
    "{ atomicAdd(&bins[$u % 16u], $u); __syncthreads(); $U ^= bins[$u % 16u]; __syncthreads(); }",
    "{ if (tid < 16u) bins[tid] = $u; __syncthreads(); atomicMax(&bins[$u % 16u], $u); __syncthreads(); $U = "
    "bins[tid % 16u]; __syncthreads(); }",
    "$U += (unsigned)__syncthreads_count($c);",
    "$U ^= (unsigned)__syncthreads_and($c);",
    "$U ^= (unsigned)__syncthreads_or($c);",
    "{ unsigned v = $u; for (unsigned step = 1; step < threads; step *= 2) { shared[tid] = v; __syncthreads(); if (tid "
    ">= step) v += shared[tid - step]; __syncthreads(); } $U = v; }",
    "{ __syncwarp(warp_mask); shared[tid] = $u; __syncwarp(warp_mask); $U += shared[tid - lane + ($u % warp_lanes)]; "
    "__syncthreads(); }",
    "$U ^= __shfl_sync(warp_mask, $u, (int)($u % warp_lanes));",
    "$U += __shfl_up_sync(warp_mask, $u, $v & 31u);",
    "$F = __shfl_sync(warp_mask, $f, 0);",
    "$L ^= __shfl_sync(warp_mask, $l, (int)($v % warp_lanes));",
    "$U ^= __ballot_sync(warp_mask, $c);",
    "$U += (unsigned)__all_sync(warp_mask, $c) + 2u * (unsigned)__any_sync(warp_mask, $c);",
    "$U ^= __match_any_sync(warp_mask, $u & 3u);",
    "{ int same = 0; $U ^= __match_all_sync(warp_mask, $l & 1ull, &same); $U += (unsigned)same; }",
    "$U += __reduce_add_sync(warp_mask, $u);",
    "$U ^= (unsigned)__reduce_min_sync(warp_mask, (int)$u) + __reduce_max_sync(warp_mask, $u);",
    "$U = __reduce_xor_sync(warp_mask, $u) - (__reduce_and_sync(warp_mask, $u) | __reduce_or_sync(warp_mask, $u));",
    "{ const bool in_it = $c; const unsigned members = __ballot_sync(warp_mask, in_it); if (in_it) { $U ^= "
    "__reduce_add_sync(members, $u); $U += __shfl_sync(members, $u, __ffs((int)members) - 1); } }",
    "{ const bool in_it = $c; const unsigned members = __match_any_sync(warp_mask, (unsigned)in_it); if (in_it) { $U "
    "= __ballot_sync(members, $c); } else { $U += __match_any_sync(members, $u & 1u); } }",
    "{ __threadfence_block(); asm volatile(\"barrier.sync 3;\" ::: \"memory\"); }",
};

/// What needs whole warps.
constexpr std::array<std::string_view, 6> whole_warp_patterns{
    "$U ^= __shfl_xor_sync(0xffffffffu, $u, (int)($v & 31u));",
    "$U += __shfl_down_sync(0xffffffffu, $u, ($v & 31u), 16);",
    "$F = __shfl_up_sync(0xffffffffu, $f, 3, 8);",
    "$D = __shfl_xor_sync(0xffffffffu, $d, 5);",
    "{ unsigned v = $u; for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffffu, v, step); $U = v; "
    "}",
    "$U += __shfl_sync(0xffffffffu, $u, (int)$u, 8);",
};

}  // namespace cudash::fuzz
