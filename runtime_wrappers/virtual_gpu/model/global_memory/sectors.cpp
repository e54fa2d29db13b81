// Compute capability 5.x and later (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"): "For devices
// of compute capability 6.0 or higher, the requirements can be summarized quite easily: the concurrent accesses of the
// threads of a warp will coalesce into a number of transactions equal to the number of 32-byte transactions necessary
// to service all of the threads of the warp." One request an instruction, whatever the size of the words; recorded so
// on an H200 with Nsight Compute (tests/hardware/warp_accesses_h200.txt).
#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"

namespace cudash::virtual_gpu {
namespace {
constexpr std::uint32_t sector = 32;
}

Coalescing sectors(const WarpAccess& access) {
    Coalescing result;
    if (access.mask == 0) return result;
    for_each_active_lane(access.mask, [&](unsigned lane) {
        const std::uint64_t begin = access.addresses[lane] / sector * sector;
        for (MemoryTransaction& each : result.transactions)
            if (each.address == begin) {
                each.lanes |= 1u << lane;
                return;
            }
        result.transactions.push_back({begin, sector, 1u << lane, 0});
    });
    result.requests.push_back({access.mask, static_cast<std::uint32_t>(result.transactions.size()), true});
    return result;
}

CoalescingCount count_sectors(const WarpAccess& access) {
    DistinctNumbers found;
    for_each_active_lane(access.mask, [&](unsigned lane) { found.add(access.addresses[lane] / sector); });
    return {access.mask != 0, found.count(), found.count()};
}

}  // namespace cudash::virtual_gpu
