// Compute capability 1.0 and 1.1 (CUDA C Programming Guide 4.2, F.3.2.1): "To coalesce, the memory request for a
// half-warp must satisfy the following conditions:
//  - The size of the words accessed by the threads must be 4, 8, or 16 bytes;
//  - If this size is: 4, all 16 words must lie in the same 64-byte segment; 8, all 16 words must lie in the same
//  128-byte
//    segment; 16, the first 8 words must lie in the same 128-byte segment and the last 8 words in the following
//    128-byte segment;
//  - Threads must access the words in sequence: The kth thread in the half-warp must access the kth word.
// If the half-warp meets these requirements, a 64-byte memory transaction, a 128-byte memory transaction, or two
// 128-byte memory transactions are issued [...] Coalescing is achieved even if the warp is divergent, i.e. there are
// some inactive threads that do not actually access memory. If the half-warp does not meet these requirements, 16
// separate 32-byte memory transactions are issued." Of a half-warp with inactive threads the model issues one for each
// active thread.
#include <optional>

#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"

namespace cudash::virtual_gpu {

namespace {

constexpr unsigned half_of_warp = 16;

/// Where the words of the half-warp `lanes` begin, if they are coalesced.
std::optional<std::uint64_t> begin_of_words(const WarpAccess& access, std::uint32_t lanes, unsigned first) {
    if (access.size < 4) return std::nullopt;
    const auto lowest = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t begin = access.addresses[lowest] - std::uint64_t{lowest - first} * access.size;
    bool coalesced = begin % (access.size == 4 ? 64 : 128) == 0;
    for_each_active_lane(lanes, [&](unsigned lane) {
        coalesced = coalesced && access.addresses[lane] == begin + std::uint64_t{lane - first} * access.size;
    });
    return coalesced ? std::optional(begin) : std::nullopt;
}

}  // namespace

Coalescing words_in_sequence(const WarpAccess& access) {
    Coalescing result;
    for (unsigned first = 0; first < lanes_per_warp; first += half_of_warp) {
        const std::uint32_t lanes = access.mask & lane_range(first, half_of_warp);
        if (lanes == 0) continue;
        const auto request = static_cast<std::uint32_t>(result.requests.size());
        const std::size_t before = result.transactions.size();
        const std::optional<std::uint64_t> begin = begin_of_words(access, lanes, first);
        if (begin && access.size == 16) {
            result.transactions.push_back({*begin, 128, lanes & lane_range(first, 8), request});
            result.transactions.push_back({*begin + 128, 128, lanes & lane_range(first + 8, 8), request});
        } else if (begin) {
            result.transactions.push_back({*begin, access.size == 4 ? 64u : 128u, lanes, request});
        } else {
            for_each_active_lane(lanes, [&](unsigned lane) {
                result.transactions.push_back({access.addresses[lane] / 32 * 32, 32, 1u << lane, request});
            });
        }
        result.requests.push_back(
            {lanes, static_cast<std::uint32_t>(result.transactions.size() - before), begin.has_value()});
    }
    return result;
}

CoalescingCount count_words_in_sequence(const WarpAccess& access) {
    CoalescingCount result;
    for (unsigned first = 0; first < lanes_per_warp; first += half_of_warp) {
        const std::uint32_t lanes = access.mask & lane_range(first, half_of_warp);
        if (lanes == 0) continue;
        ++result.requests;
        if (begin_of_words(access, lanes, first)) {
            result.transactions += access.size == 16 ? 2 : 1;
            result.sectors += access.size * half_of_warp / 32;
        } else {
            result.transactions += static_cast<unsigned>(std::popcount(lanes));
            result.sectors += static_cast<unsigned>(std::popcount(lanes));
        }
    }
    return result;
}

}  // namespace cudash::virtual_gpu
