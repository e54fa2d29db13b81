// What races leave behind, and in what order lanes that part go on. Each kernel is launched 100 times: what was the same
// each time is shown, the rest "varies".
#include "cases.h"

constexpr int launches = 100, words = 1024;

void tell_steady(void (*kernel)(int*), int blocks, int threads, int count, const char* what) {
    Shared<int> out(words);
    std::vector<int> first;
    for (int i = 0; i < launches; ++i) {
        cudaMemset(out.device, 0, words * sizeof(int));
        kernel<<<blocks, threads>>>(out.device);
        if (!succeeded(cudaGetLastError()) || !succeeded(cudaDeviceSynchronize())) return;
        cudaMemcpy(out.host.data(), out.device, words * sizeof(int), cudaMemcpyDeviceToHost);
        if (i == 0) first = out.host;
        if (memcmp(out.host.data(), first.data(), count * sizeof(int)) != 0) return show_text(what, "varies");
    }
    show(what, first.data(), count < 64 ? count : 64);
    if (count > 64) show("active", first.data() + 64, count - 64);
}

// A macro that makes device code and one that makes host code: cudash takes whole lines for one of them.
#define KERNEL(name, body)                                                             \
    __global__ void name##_kernel(int* out) {                                          \
        const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = blockDim.x;    \
        (void)t, (void)i, (void)n;                                                     \
        body                                                                           \
    }
#define RUN(name, count)                                                               \
    CASE(name) {                                                                       \
        for (int threads : {20, 32, 33, 64, 96, 256, 1024}) {                          \
            char what[16];                                                             \
            snprintf(what, sizeof what, "%d", threads);                                \
            tell_steady(name##_kernel, 1, threads, count, what);                       \
        }                                                                              \
    }
#define RUN_WARP(name, count)                                                          \
    CASE(name) { tell_steady(name##_kernel, 1, 32, count, "32"); }
#define RUN_GRID(name, count)                                                          \
    CASE(name) { tell_steady(name##_kernel, 4, 256, count, "4x256"); }

// All to one word.
KERNEL(one_word, out[0] = t + 1;)
RUN(one_word, 1)
KERNEL(one_word_odd, if (t & 1) out[0] = t + 1;)
RUN(one_word_odd, 1)
KERNEL(one_word_from_7, if (t >= 7) out[0] = t + 1;)
RUN(one_word_from_7, 1)
KERNEL(one_word_third, if (t % 3 == 1) out[0] = t + 1;)
RUN(one_word_third, 1)
KERNEL(one_byte, reinterpret_cast<char*>(out)[0] = t + 1;)
RUN(one_byte, 1)
KERNEL(one_short, reinterpret_cast<short*>(out)[1] = t + 1;)
RUN(one_short, 1)
KERNEL(one_double_word, reinterpret_cast<long long*>(out)[0] = (t + 1) * 0x100000001LL;)
RUN(one_double_word, 2)
KERNEL(one_int2, reinterpret_cast<int2*>(out)[0] = make_int2(t, t + 1);)
RUN(one_int2, 2)
KERNEL(one_int4, reinterpret_cast<int4*>(out)[0] = make_int4(t, t + 1, t + 2, t + 3);)
RUN(one_int4, 4)
KERNEL(one_volatile, *static_cast<volatile int*>(out) = t + 1;)
RUN(one_volatile, 1)
// Some to each word.
KERNEL(pairs, out[t / 2] = t + 1;)
RUN(pairs, 64)
KERNEL(eights, out[t / 8] = t + 1;)
RUN(eights, 64)
KERNEL(four_in_turn, out[t % 4] = t + 1;)
RUN(four_in_turn, 4)
KERNEL(mirrored_pairs, out[(n - 1 - t) / 2] = t + 1;)
RUN(mirrored_pairs, 64)
KERNEL(seven, out[t * 5 % 7] = t + 1;)
RUN(seven, 7)
KERNEL(squares, out[t * t % 13] = t + 1;)
RUN(squares, 13)
KERNEL(far_pairs, out[t / 2 * 31 % 977] = t + 1;)
RUN(far_pairs, 64)
KERNEL(bytes_in_pairs, reinterpret_cast<char*>(out)[t / 2] = t + 1;)
RUN(bytes_in_pairs, 16)
KERNEL(halves_of_a_row, out[t % 16] = t + 1;)
RUN(halves_of_a_row, 16)
KERNEL(int2_in_pairs, reinterpret_cast<int2*>(out)[t / 2 % 256] = make_int2(t, t + 1);)
RUN(int2_in_pairs, 64)
// In shared memory.
#define SHARED(name, body)                                                             \
    __global__ void name##_kernel(int* out) {                                          \
        __shared__ __align__(16) int s[1024];                                          \
        const int t = threadIdx.x, n = blockDim.x;                                     \
        (void)n;                                                                       \
        for (int k = t; k < 1024; k += blockDim.x) s[k] = 0;                           \
        __syncthreads();                                                               \
        body                                                                           \
        __syncthreads();                                                               \
        for (int k = t; k < 1024; k += blockDim.x) out[k] = s[k];                      \
    }
SHARED(shared_one_word, s[0] = t + 1;)
RUN(shared_one_word, 1)
SHARED(shared_one_word_odd, if (t & 1) s[0] = t + 1;)
RUN(shared_one_word_odd, 1)
SHARED(shared_one_word_from_7, if (t >= 7) s[0] = t + 1;)
RUN(shared_one_word_from_7, 1)
SHARED(shared_one_byte, reinterpret_cast<char*>(s)[1] = t + 1;)
RUN(shared_one_byte, 1)
SHARED(shared_one_double_word, reinterpret_cast<long long*>(s)[0] = (t + 1) * 0x100000001LL;)
RUN(shared_one_double_word, 2)
SHARED(shared_one_int4, reinterpret_cast<int4*>(s)[0] = make_int4(t, t + 1, t + 2, t + 3);)
RUN(shared_one_int4, 4)
SHARED(shared_pairs, s[t / 2] = t + 1;)
RUN(shared_pairs, 64)
SHARED(shared_four_in_turn, s[t % 4] = t + 1;)
RUN(shared_four_in_turn, 4)
SHARED(shared_halves_of_a_row, s[t % 16] = t + 1;)
RUN(shared_halves_of_a_row, 16)
SHARED(shared_squares, s[t * t % 13] = t + 1;)
RUN(shared_squares, 13)
SHARED(shared_int2_in_pairs, reinterpret_cast<int2*>(s)[t / 2 % 256] = make_int2(t, t + 1);)
RUN(shared_int2_in_pairs, 64)
SHARED(shared_bytes_in_pairs, reinterpret_cast<char*>(s)[t / 2] = t + 1;)
RUN(shared_bytes_in_pairs, 16)
// Counting without atomics.
KERNEL(count, out[0]++;)
RUN(count, 1)
KERNEL(count_grid, out[0]++;)
RUN_GRID(count_grid, 1)
KERNEL(count_four, out[t % 4]++;)
RUN(count_four, 4)
KERNEL(count_twice, out[0]++; out[0]++;)
RUN(count_twice, 1)
KERNEL(count_volatile, ++*static_cast<volatile int*>(out);)
RUN(count_volatile, 1)
KERNEL(count_in_loop, for (int k = 0; k < 4; ++k) { ++*static_cast<volatile int*>(out); __syncthreads(); })
RUN(count_in_loop, 1)
KERNEL(sum, out[0] += t + 1;)
RUN(sum, 1)
KERNEL(count_if_odd, if (t & 1) out[0]++;)
RUN(count_if_odd, 1)
KERNEL(histogram, out[t * 7 % 5]++;)
RUN(histogram, 5)
SHARED(shared_count, s[0]++;)
RUN(shared_count, 1)
SHARED(shared_sum, s[0] += t + 1;)
RUN(shared_sum, 1)
SHARED(shared_histogram, s[t * 7 % 5]++;)
RUN(shared_histogram, 5)
// A barrier is missing.
SHARED(shift_in_place, s[t] = t; __syncthreads(); s[t] = s[(t + 1) % n];)
RUN(shift_in_place, 64)
SHARED(reversed_in_place, s[t] = t; __syncthreads(); s[t] = s[n - 1 - t];)
RUN(reversed_in_place, 64)
SHARED(scan_unsynchronized, s[t] = 1; __syncthreads(); for (int d = 1; d < n; d *= 2) if (t >= d) s[t] += s[t - d];)
RUN(scan_unsynchronized, 64)
SHARED(reduction_unsynchronized, s[t] = t + 1; __syncthreads(); for (int d = n / 2; d > 0; d /= 2) if (t < d) s[t] += s[t + d];)
RUN(reduction_unsynchronized, 1)
KERNEL(stencil_in_place, out[t] = t * t; __syncthreads(); out[t] = out[t] + out[(t + 1) % n];)
RUN(stencil_in_place, 64)

// Lanes that part: each takes the next number; what is active there.
#define TICKET(k) (out[t] = (k) * 1000 + atomicAdd(out + 1000, 1), out[t + 64] = __activemask())
KERNEL(if_else, if (t & 1) TICKET(1); else TICKET(2);)
RUN_WARP(if_else, 128)
KERNEL(if_else_low, if (t < 16) TICKET(1); else TICKET(2);)
RUN_WARP(if_else_low, 128)
KERNEL(if_else_high, if (t >= 16) TICKET(1); else TICKET(2);)
RUN_WARP(if_else_high, 128)
KERNEL(if_only, TICKET(1); if (t < 5) TICKET(2);)
RUN_WARP(if_only, 128)
KERNEL(else_if, if (t % 3 == 0) TICKET(1); else if (t % 3 == 1) TICKET(2); else TICKET(3);)
RUN_WARP(else_if, 128)
KERNEL(nested, if (t & 1) { if (t & 2) TICKET(1); else TICKET(2); } else { if (t & 2) TICKET(3); else TICKET(4); })
RUN_WARP(nested, 128)
KERNEL(after_nested, if (t & 1) { if (t & 2) atomicAdd(out + 1000, 1); else atomicAdd(out + 1000, 1); } TICKET(5);)
RUN_WARP(after_nested, 128)
KERNEL(switch_three, switch (t % 3) { case 0: TICKET(1); break; case 1: TICKET(2); break; default: TICKET(3); })
RUN_WARP(switch_three, 128)
KERNEL(switch_four, switch (t & 3) { case 0: TICKET(1); break; case 1: TICKET(2); break; case 2: TICKET(3); break; case 3: TICKET(4); break; })
RUN_WARP(switch_four, 128)
KERNEL(switch_eight, switch (t & 7) { case 0: TICKET(1); break; case 1: TICKET(2); break; case 2: TICKET(3); break; case 3: TICKET(4); break; case 4: TICKET(5); break; case 5: TICKET(6); break; case 6: TICKET(7); break; default: TICKET(8); })
RUN_WARP(switch_eight, 128)
KERNEL(switch_default, switch (t & 3) { case 0: TICKET(1); break; case 2: TICKET(2); break; default: TICKET(3); })
RUN_WARP(switch_default, 128)
KERNEL(switch_through, switch (t & 3) { case 0: atomicAdd(out + 1000, 1); case 1: atomicAdd(out + 1000, 1); case 2: TICKET(3); break; case 3: TICKET(4); })
RUN_WARP(switch_through, 128)
KERNEL(after_switch, switch (t & 3) { case 0: atomicAdd(out + 1001, 1); break; case 1: atomicAdd(out + 1002, 2); break; case 2: atomicAdd(out + 1003, 3); break; } TICKET(1);)
RUN_WARP(after_switch, 128)
KERNEL(after_through, switch (t & 3) { case 0: atomicAdd(out + 1001, 1); case 1: atomicAdd(out + 1002, 2); case 2: atomicAdd(out + 1003, 3); break; } TICKET(1);)
RUN_WARP(after_through, 128)
KERNEL(loop, for (int k = 0; k < t % 4; ++k) atomicAdd(out + 1001, 1); TICKET(1);)
RUN_WARP(loop, 128)
KERNEL(in_loop, for (int k = 0; k <= t % 4; ++k) TICKET(k);)
RUN_WARP(in_loop, 128)
KERNEL(loop_break, for (int k = 0; k < 8; ++k) { if (k == t % 5) { TICKET(k); break; } atomicAdd(out + 1001, 1); })
RUN_WARP(loop_break, 128)
KERNEL(loop_continue, for (int k = 0; k < 3; ++k) { if (t % 2 == k % 2) continue; TICKET(k); })
RUN_WARP(loop_continue, 128)
KERNEL(early_return, if (t % 4 == 1) { TICKET(1); return; } TICKET(2);)
RUN_WARP(early_return, 128)
KERNEL(both_conditions, if (t > 3 && atomicAdd(out + 1001, 1) % 2) TICKET(1); else TICKET(2);)
RUN_WARP(both_conditions, 128)
KERNEL(spin_in_turn, for (bool done = false; !done;) { if (atomicCAS(out + 1001, 0, 1) == 0) { TICKET(1); __threadfence(); atomicExch(out + 1001, 0); done = true; } })
RUN_WARP(spin_in_turn, 32)
KERNEL(while_turn, while (true) { if (atomicAdd(out + 1001, 0) % 32 == t) { TICKET(1); atomicAdd(out + 1001, 1); break; } })
RUN_WARP(while_turn, 64)
__device__ __noinline__ int ticket_of(int* counter, int k) { return k * 1000 + atomicAdd(counter, 1); }
KERNEL(calls, if (t & 1) out[t] = ticket_of(out + 1000, 1); else out[t] = ticket_of(out + 1000, 2); out[t + 64] = __activemask();)
RUN_WARP(calls, 128)

// Atomics of one warp and of several.
KERNEL(ticket, out[t] = atomicAdd(out + 1000, 1);)
RUN(ticket, 64)
KERNEL(ticket_by_lane, out[t] = atomicAdd(out + 1000, t);)
RUN_WARP(ticket_by_lane, 32)
KERNEL(ticket_exchange, out[t] = atomicExch(out + 1000, t + 1);)
RUN_WARP(ticket_exchange, 32)
KERNEL(ticket_compare, out[t] = atomicCAS(out + 1000, 0, t + 1);)
RUN_WARP(ticket_compare, 32)
KERNEL(ticket_max, out[t] = atomicMax(out + 1000, t * 7 % 32);)
RUN_WARP(ticket_max, 32)
KERNEL(ticket_float, out[t] = __float_as_int(atomicAdd(reinterpret_cast<float*>(out) + 1000, 0.1f * t));)
RUN_WARP(ticket_float, 32)
KERNEL(ticket_float_two, out[t] = __float_as_int(atomicAdd(reinterpret_cast<float*>(out) + 1000 + t % 2, 0.1f * t));)
RUN_WARP(ticket_float_two, 32)
KERNEL(sum_float, atomicAdd(reinterpret_cast<float*>(out), 0.1f * t);)
RUN_WARP(sum_float, 1)
SHARED(shared_ticket, int mine = atomicAdd(s + 1000, 1); __syncthreads(); s[t] = mine;)
RUN_WARP(shared_ticket, 32)
SHARED(shared_ticket_float, float mine = atomicAdd(reinterpret_cast<float*>(s) + 1000, 0.1f * t); __syncthreads(); s[t] = __float_as_int(mine);)
RUN_WARP(shared_ticket_float, 32)
SHARED(shared_sum_float, atomicAdd(reinterpret_cast<float*>(s), 0.1f * t);)
RUN_WARP(shared_sum_float, 1)
SHARED(shared_ticket_exchange, int mine = atomicExch(s + 1000, t + 1); __syncthreads(); s[t] = mine;)
RUN_WARP(shared_ticket_exchange, 32)
SHARED(shared_ticket_compare, int mine = atomicCAS(s + 1000, 0, t + 1); __syncthreads(); s[t] = mine;)
RUN_WARP(shared_ticket_compare, 32)
SHARED(shared_ticket_four, int mine = atomicAdd(s + 1000 + t % 4, 1); __syncthreads(); s[t] = mine;)
RUN_WARP(shared_ticket_four, 32)

// Missing barriers: what is written and then read by another thread.
SHARED(reversed_unsynchronized, s[t] = t + 1; const int got = s[n - 1 - t]; __syncthreads(); s[t] = got;)
RUN(reversed_unsynchronized, 64)
__device__ int source[1024];
SHARED(staged_unsynchronized, s[t] = source[t] + t + 1; const int got = s[(t + 33) % n]; __syncthreads(); s[t] = got;)
RUN(staged_unsynchronized, 64)
SHARED(shifted_three_times, s[t] = t; __syncthreads(); for (int k = 0; k < 3; ++k) { s[t] = s[(t + 1) % n]; __syncthreads(); })
RUN(shifted_three_times, 64)
KERNEL(reversed_global, out[t] = t + 1; const int got = out[n - 1 - t]; __syncthreads(); out[t] = got;)
RUN(reversed_global, 64)
