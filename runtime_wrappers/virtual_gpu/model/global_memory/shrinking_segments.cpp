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

#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"

namespace cudash::virtual_gpu {

Coalescing shrinking_segments(const WarpAccess& access) {
    constexpr unsigned half = 16;
    const std::uint32_t widest = access.size == 1 ? 32 : access.size == 2 ? 64 : 128;
    Coalescing result;
    for (unsigned first = 0; first < lanes_per_warp; first += half) {
        const std::uint32_t lanes = access.mask & lane_range(first, half);
        if (lanes == 0) continue;
        const auto request = static_cast<std::uint32_t>(result.requests.size());
        const std::size_t before = result.transactions.size();
        for (std::uint32_t waiting = lanes; waiting != 0;) {
            std::uint32_t bytes = widest, served = 0;
            std::uint64_t begin = access.addresses[static_cast<unsigned>(std::countr_zero(waiting))] / bytes * bytes;
            std::uint64_t low = ~0ull, high = 0;
            for_each_active_lane(waiting, [&](unsigned lane) {
                const std::uint64_t address = access.addresses[lane];
                if (address / widest * widest != begin) return;
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
            result.transactions.push_back({begin, bytes, served, request});
            waiting &= ~served;
        }
        result.requests.push_back({lanes, static_cast<std::uint32_t>(result.transactions.size() - before), true});
    }
    return result;
}

}  // namespace cudash::virtual_gpu
