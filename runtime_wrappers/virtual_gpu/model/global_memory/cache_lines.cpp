// Compute capability 2.x and 3.x (CUDA C Programming Guide 4.2, F.4.2 and F.5.2): "A cache line is 128 bytes and maps
// to a 128-byte aligned segment in device memory. Memory accesses that are cached in both L1 and L2 are serviced with
// 128-byte memory transactions whereas memory accesses that are cached in L2 only are serviced with 32-byte memory
// transactions.
// [...] If the size of the words accessed by each thread is more than 4 bytes, a memory request by a warp is first
// split into separate 128-byte memory requests that are issued independently: Two memory requests, one for each
// half-warp, if the size is 8 bytes, Four memory requests, one for each quarter-warp, if the size is 16 bytes. Each
// memory request is then broken down into cache line requests that are issued independently."
#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"

namespace cudash::virtual_gpu {

Coalescing cache_lines(const WarpAccess& access, std::uint32_t transaction_bytes) {
    const unsigned together = access.size <= 4 ? lanes_per_warp : 128 / access.size;
    Coalescing result;
    for (unsigned first = 0; first < lanes_per_warp; first += together) {
        const std::uint32_t lanes = access.mask & lane_range(first, together);
        if (lanes == 0) continue;
        const auto request = static_cast<std::uint32_t>(result.requests.size());
        const std::size_t before = result.transactions.size();
        for_each_active_lane(lanes, [&](unsigned lane) {
            const std::uint64_t begin = access.addresses[lane] / transaction_bytes * transaction_bytes;
            for (std::size_t i = before; i < result.transactions.size(); ++i)
                if (result.transactions[i].address == begin) {
                    result.transactions[i].lanes |= 1u << lane;
                    return;
                }
            result.transactions.push_back({begin, transaction_bytes, 1u << lane, request});
        });
        result.requests.push_back({lanes, static_cast<std::uint32_t>(result.transactions.size() - before), true});
    }
    return result;
}

CoalescingCount count_cache_lines(const WarpAccess& access, std::uint32_t transaction_bytes) {
    const unsigned together = access.size <= 4 ? lanes_per_warp : 128 / access.size;
    CoalescingCount result;
    for (unsigned first = 0; first < lanes_per_warp; first += together) {
        const std::uint32_t lanes = access.mask & lane_range(first, together);
        if (lanes == 0) continue;
        DistinctNumbers found;
        for_each_active_lane(lanes, [&](unsigned lane) { found.add(access.addresses[lane] / transaction_bytes); });
        ++result.requests;
        result.transactions += found.count();
    }
    result.sectors = result.transactions * (transaction_bytes / 32);
    return result;
}

}  // namespace cudash::virtual_gpu
