// Coalescing: into how many transfers the memory pipeline turns a warp's access to global memory. One file a rule, by
// the generations that have it; the rules and their sources are in those files.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/model/warp_access.h"

namespace cudash::virtual_gpu {

/// A transfer of consecutive bytes between a multiprocessor and memory or its caches.
struct MemoryTransaction {
    std::uint64_t address;  ///< a multiple of `bytes`
    std::uint32_t bytes;    ///< 32, 64 or 128
    std::uint32_t lanes;    ///< that it serves
    std::uint32_t request;  ///< of which it is a part
};

/// Lanes whose access is looked at together. Requests of one instruction are issued independently.
struct MemoryRequest {
    std::uint32_t lanes;
    std::uint32_t transactions;
    bool coalesced;  ///< 1.0 and 1.1: false where each lane got a transfer of its own
};

struct Coalescing {
    ShortList<MemoryRequest, 8> requests;           ///< only those with active lanes
    ShortList<MemoryTransaction, 64> transactions;  ///< by request, in the order in which they are issued
    std::uint32_t bytes_used = 0;                   ///< that lanes asked for; a byte that several want counts once

    std::uint32_t bytes_moved() const;
    /// The 32-byte sectors that the transactions hold together: what Nsight Compute counts from 5.x on.
    std::uint32_t sectors() const { return bytes_moved() / 32; }
};

enum class CoalescingRule : std::uint8_t {
    words_in_sequence,   ///< 1.0, 1.1
    shrinking_segments,  ///< 1.2, 1.3
    cache_lines,         ///< 2.x, 3.x
    sectors              ///< 5.x and later
};
std::string_view name_of(CoalescingRule rule);
CoalescingRule coalescing_rule(const Profile& profile);

/// Where loads are cached: nvcc's -Xptxas -dlcm=ca and -dlcm=cg, or ld.global.ca and .cg.
enum class LoadCaching : std::uint8_t { by_default, l1_and_l2, l2_only };

/// Whether loads of global memory go through L1 on the generations whose rule it makes a difference to.
bool loads_in_l1(const Profile& profile, LoadCaching caching);

Coalescing coalesce(const Profile& profile, const WarpAccess& access, LoadCaching caching = LoadCaching::by_default);

// The rules. Words are at most 16 bytes; of sectors 32 too.
Coalescing words_in_sequence(const WarpAccess& access);
Coalescing shrinking_segments(const WarpAccess& access);
Coalescing cache_lines(const WarpAccess& access, std::uint32_t transaction_bytes);
Coalescing sectors(const WarpAccess& access);

// The same without the lists: called for accesses by the million.
struct CoalescingCount {
    std::uint32_t requests = 0, transactions = 0, sectors = 0;
};
CoalescingCount count_words_in_sequence(const WarpAccess& access);
CoalescingCount count_shrinking_segments(const WarpAccess& access);
CoalescingCount count_cache_lines(const WarpAccess& access, std::uint32_t transaction_bytes);
CoalescingCount count_sectors(const WarpAccess& access);

}  // namespace cudash::virtual_gpu
