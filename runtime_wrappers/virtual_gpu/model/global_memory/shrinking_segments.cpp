// Compute capability 1.2 and 1.3 (CUDA C Programming Guide 4.2, F.3.2.2), for each half-warp:
//  - "Find the memory segment that contains the address requested by the active thread with the lowest thread ID. The
//    segment size depends on the size of the words accessed by the threads: 32 bytes for 1-byte words, 64 bytes for
//    2-byte words, 128 bytes for 4-, 8- and 16-byte words.
//  - Find all other active threads whose requested address lies in the same segment.
//  - Reduce the transaction size, if possible: If the transaction size is 128 bytes and only the lower or upper half is
//    used, reduce the transaction size to 64 bytes; If the transaction size is 64 bytes (originally or after reduction
//    from 128 bytes) and only the lower or upper half is used, reduce the transaction size to 32 bytes.
//  - Carry out the transaction and mark the serviced threads as inactive.
//  - Repeat until all threads in the half-warp are serviced."
#include <algorithm>
#include <utility>

#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"

namespace cudash::virtual_gpu {

namespace {

/// Calls `request(lanes)` for each half-warp, and before that `carry_out(begin, bytes, lanes)` for its transactions.
template <class CarryOut, class Request>
void serve(const WarpAccess& access, CarryOut&& carry_out, Request&& request) {
    constexpr unsigned half = 16;
    const std::uint32_t widest = access.size == 1 ? 32 : access.size == 2 ? 64 : 128;
    for (unsigned first = 0; first < lanes_per_warp; first += half) {
        const std::uint32_t lanes = access.mask & lane_range(first, half);
        if (lanes == 0) continue;
        for (std::uint32_t waiting = lanes; waiting != 0;) {
            std::uint32_t bytes = widest, served = 0;
            const std::uint64_t segment = access.addresses[static_cast<unsigned>(std::countr_zero(waiting))] / widest;
            std::uint64_t begin = segment * widest, low = ~0ull, high = 0;
            for_each_active_lane(waiting, [&](unsigned lane) {
                const std::uint64_t address = access.addresses[lane];
                if (address / widest != segment) return;
                served |= 1u << lane;
                low = std::min(low, address);
                high = std::max(high, address + access.size);
            });
            while (bytes > 32) {
                const std::uint64_t middle = begin + bytes / 2;
                if (low < middle && high > middle) break;
                bytes /= 2;
                if (low >= middle) begin = middle;
            }
            carry_out(begin, bytes, served);
            waiting &= ~served;
        }
        request(lanes);
    }
}

}  // namespace

Coalescing shrinking_segments(const WarpAccess& access) {
    Coalescing result;
    std::uint32_t transactions = 0;
    serve(
        access,
        [&](std::uint64_t begin, std::uint32_t bytes, std::uint32_t lanes) {
            result.transactions.push_back({begin, bytes, lanes, static_cast<std::uint32_t>(result.requests.size())});
            ++transactions;
        },
        [&](std::uint32_t lanes) {
            result.requests.push_back({lanes, std::exchange(transactions, 0), true});
        });
    return result;
}

CoalescingCount count_shrinking_segments(const WarpAccess& access) {
    CoalescingCount result;
    serve(
        access,
        [&](std::uint64_t, std::uint32_t bytes, std::uint32_t) {
            ++result.transactions;
            result.sectors += bytes / 32;
        },
        [&](std::uint32_t) { ++result.requests; });
    return result;
}

}  // namespace cudash::virtual_gpu
