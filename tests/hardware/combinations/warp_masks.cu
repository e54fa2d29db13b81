// Warp-level functions whose lanes name different members: tiles, labels, odd and even, subsets of diverged lanes.
#include "cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__device__ unsigned tile_mask(int width) {
    return (width == 32 ? ~0u : (1u << width) - 1) << ((threadIdx.x & 31) / width * width);
}
/// Different ways to cut a warp into groups.
__device__ unsigned group_mask(int way) {
    const unsigned lane = threadIdx.x & 31;
    switch (way) {
        case 0:
            return tile_mask(2);
        case 1:
            return tile_mask(4);
        case 2:
            return tile_mask(8);
        case 3:
            return tile_mask(16);
        case 4:
            return lane & 1 ? 0xaaaaaaaau : 0x55555555u;
        case 5:
            return 0x11111111u << (lane & 3);
        case 6:
            return 1u << lane;
        case 7:
            return lane < 5 ? 0x1fu : lane < 20 ? 0xfffe0u : 0xfff00000u;
        case 8:
            return lane % 3 == 0 ? 0x49249249u : lane % 3 == 1 ? 0x92492492u : 0x24924924u;
        default:
            return lane == 13 ? 1u << 13 : ~(1u << 13);
    }
}
constexpr int ways = 10;

// A macro that makes device code and one that makes host code: cudash takes whole lines for one of them.
#define KERNEL(name, expression)                                                  \
    __global__ void name##_kernel(unsigned* out, const int* in) {                 \
        const int t = threadIdx.x, v = in[t];                                     \
        for (int way = 0; way < ways; ++way) {                                    \
            const unsigned mask = group_mask(way);                                \
            out[way * 64 + t] = static_cast<unsigned>(expression) + 0 * v * mask; \
        }                                                                         \
    }
#define RUN(name)                \
    CASE(name) {                 \
        run_ways(name##_kernel); \
    }

void run_ways(void (*kernel)(unsigned*, const int*)) {
    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i) values[i] = i * 37 % 11 - 3;
    Shared<int> in(values);
    Shared<unsigned> out(64 * ways);
    kernel<<<1, 64>>>(out.device, in.device);
    if (!succeeded(cudaDeviceSynchronize())) return;
    cudaMemcpy(out.host.data(), out.device, 64 * ways * 4, cudaMemcpyDeviceToHost);
    for (int way = 0; way < ways; ++way) {
        char what[16];
        snprintf(what, sizeof what, "way%d", way);
        show(what, out.host.data() + 64 * way, 64);
    }
}

KERNEL(ballot, __ballot_sync(mask, v > 2))
RUN(ballot)
KERNEL(all, __all_sync(mask, v > -2))
RUN(all)
KERNEL(any, __any_sync(mask, v > 5))
RUN(any)
KERNEL(match_any, __match_any_sync(mask, v & 3))
RUN(match_any)
KERNEL(match_any_64, __match_any_sync(mask, static_cast<long long>(v & 3) << 40))
RUN(match_any_64)
__device__ unsigned match_all_and_predicate(unsigned mask, int v) {
    int equal;
    const unsigned found = __match_all_sync(mask, v, &equal);
    return found ^ (equal ? 0x40000000u : 0);
}
KERNEL(match_all, match_all_and_predicate(mask, (t & 31) / 8))
RUN(match_all)
KERNEL(reduce_add, __reduce_add_sync(mask, v))
RUN(reduce_add)
KERNEL(reduce_add_unsigned, __reduce_add_sync(mask, static_cast<unsigned>(v)))
RUN(reduce_add_unsigned)
KERNEL(reduce_min, __reduce_min_sync(mask, v))
RUN(reduce_min)
KERNEL(reduce_max, __reduce_max_sync(mask, v))
RUN(reduce_max)
KERNEL(reduce_and, __reduce_and_sync(mask, static_cast<unsigned>(v) | 5))
RUN(reduce_and)
KERNEL(reduce_or, __reduce_or_sync(mask, 1u << (t & 15)))
RUN(reduce_or)
KERNEL(reduce_xor, __reduce_xor_sync(mask, static_cast<unsigned>(v)))
RUN(reduce_xor)
KERNEL(shuffle_to_next, __shfl_sync(mask, v, t + 1))
RUN(shuffle_to_next)
KERNEL(shuffle_first_of_mask, __shfl_sync(mask, v, __ffs(mask) - 1))
RUN(shuffle_first_of_mask)
KERNEL(shuffle_up, __shfl_up_sync(mask, v, 1))
RUN(shuffle_up)
KERNEL(shuffle_down, __shfl_down_sync(mask, v, 3))
RUN(shuffle_down)
KERNEL(shuffle_xor, __shfl_xor_sync(mask, v, 5))
RUN(shuffle_xor)
KERNEL(shuffle_xor_in_8, __shfl_xor_sync(mask, v, 3, 8))
RUN(shuffle_xor_in_8)
KERNEL(shuffle_down_in_4, __shfl_down_sync(mask, v, 1, 4))
RUN(shuffle_down_in_4)
__device__ unsigned active_after_sync(unsigned mask) {
    __syncwarp(mask);
    return __activemask();
}
KERNEL(active_after_syncwarp, active_after_sync(mask))
RUN(active_after_syncwarp)
__device__ unsigned active_after_ballot(unsigned mask, int v) {
    const unsigned votes = __ballot_sync(mask, v > 2);
    return __activemask() ^ votes;
}
KERNEL(active_after_the_ballot, active_after_ballot(mask, v))
RUN(active_after_the_ballot)
__device__ unsigned elected(unsigned mask) {
    unsigned leader, is_leader;
    asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 256, 0, p; }"
                 : "=r"(leader), "=r"(is_leader)
                 : "r"(mask));
    return leader | is_leader;
}
KERNEL(elect, elected(mask))
RUN(elect)
// The lanes of a group come one branch after the other.
__device__ unsigned in_two_branches(unsigned mask, int t, int v) {
    unsigned result;
    if (t & 1) {
        result = 100 + __popc(__activemask() & mask);
    } else {
        result = v & 7;
    }
    __syncwarp(mask);
    return result + __reduce_add_sync(mask, result);
}
KERNEL(sum_after_branches, in_two_branches(mask, t, v))
RUN(sum_after_branches)
__device__ unsigned after_loops_of_lengths(unsigned mask, int t, int v) {
    unsigned sum = 0;
    for (int i = 0; i < (t & 7); ++i) sum += v * i + 1;
    return __ballot_sync(mask, sum & 1);
}
KERNEL(ballot_after_loops, after_loops_of_lengths(mask, t, v))
RUN(ballot_after_loops)
__device__ unsigned in_upper_half(unsigned mask, int t, int v) {
    unsigned result = 7;
    if ((t & 31) >= 16) result = __reduce_add_sync(mask & 0xffff0000u, v);
    return result;
}
KERNEL(sum_in_the_upper_half, in_upper_half(mask, t, v))
RUN(sum_in_the_upper_half)
__device__ unsigned in_lower_lanes_of_quads(unsigned mask, int t, int v) {
    unsigned result = 9;
    if ((t & 3) < 2) result = __ballot_sync(mask & 0x33333333u, v & 1);
    return result;
}
KERNEL(ballot_in_some_lanes, in_lower_lanes_of_quads(mask, t, v))
RUN(ballot_in_some_lanes)
__device__ unsigned nested(unsigned mask, int t, int v) {
    unsigned result = 0;
    for (int round = 0; round < 3; ++round) {
        const unsigned same = __match_any_sync(mask, (v + round) & 1);
        result = result * 37 + __reduce_add_sync(same, v + round);
    }
    return result + t;
}
KERNEL(sums_of_matching_lanes, nested(mask, t, v))
RUN(sums_of_matching_lanes)

template <int N>
__global__ void tile_kernel(unsigned* out, const int* in) {
    auto tile = cg::tiled_partition<N>(cg::this_thread_block());
    const int t = threadIdx.x, v = in[t];
    unsigned* o = out + t * 24;
    o[0] = tile.ballot(v > 2);
    o[1] = tile.any(v > 5);
    o[2] = tile.all(v > -2);
    o[3] = tile.shfl(v, 1);
    o[4] = tile.shfl_up(v, 1);
    o[5] = tile.shfl_down(v, 1);
    o[6] = tile.shfl_xor(v, 1);
    o[7] = tile.match_any(v & 3);
    int equal;
    o[8] = tile.match_all(v & 1, equal) * 2 + equal;
    o[9] = cg::reduce(tile, v, cg::plus<int>());
    o[10] = cg::reduce(tile, v, cg::less<int>());
    o[11] = cg::reduce(tile, v, cg::greater<int>());
    o[12] = cg::reduce(tile, static_cast<unsigned>(v), cg::bit_xor<unsigned>());
    o[13] = __float_as_uint(cg::reduce(tile, v * 0.37f, cg::plus<float>()));
    o[14] = cg::inclusive_scan(tile, v);
    o[15] = cg::exclusive_scan(tile, v);
    o[16] = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size();
    auto odd = cg::binary_partition(tile, v & 1);
    o[17] = odd.size() * 100 + odd.thread_rank();
    o[18] = odd.ballot(v > 2);
    o[19] = cg::reduce(odd, v, cg::plus<int>());
    auto label = cg::labeled_partition(tile, v % 3 + 4);
    o[20] = label.size() * 100 + label.thread_rank();
    o[21] = cg::reduce(label, v, cg::plus<int>());
    o[22] = label.shfl(v, 0);
    o[23] = cg::inclusive_scan(label, v);
}
template <int N>
void run_tile() {
    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i) values[i] = i * 37 % 11 - 3;
    Shared<int> in(values);
    Shared<unsigned> out(64 * 24);
    tile_kernel<N><<<1, 64>>>(out.device, in.device);
    if (!succeeded(cudaDeviceSynchronize())) return;
    cudaMemcpy(out.host.data(), out.device, 64 * 24 * 4, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 24; ++k) {
        std::vector<unsigned> column(64);
        for (int t = 0; t < 64; ++t) column[t] = out.host[t * 24 + k];
        char what[16];
        snprintf(what, sizeof what, "result%d", k);
        show(what, column.data(), 64);
    }
}
CASE(tiles_of_2) {
    run_tile<2>();
}
CASE(tiles_of_4) {
    run_tile<4>();
}
CASE(tiles_of_8) {
    run_tile<8>();
}
CASE(tiles_of_16) {
    run_tile<16>();
}
CASE(tiles_of_32) {
    run_tile<32>();
}

__global__ void coalesced_kernel(unsigned* out, const int* in) {
    const int t = threadIdx.x, v = in[t];
    unsigned* o = out + t * 8;
    if (v & 1) {
        auto group = cg::coalesced_threads();
        o[0] = group.size() * 100 + group.thread_rank();
        o[1] = group.ballot(v > 2);
        o[2] = group.shfl(v, 2);
        o[3] = group.shfl_down(v, 1);
        o[4] = cg::reduce(group, v, cg::plus<int>());
        o[5] = cg::exclusive_scan(group, v);
        auto part = cg::tiled_partition(group, 4);
        o[6] = part.size() * 100 + part.thread_rank();
        o[7] = part.shfl(v, 0);
    }
}
CASE(coalesced_threads) {
    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i) values[i] = i * 37 % 11 - 3;
    Shared<int> in(values);
    Shared<unsigned> out(64 * 8);
    coalesced_kernel<<<1, 64>>>(out.device, in.device);
    out.tell("all");
}
