#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"

#include <algorithm>
#include <array>

namespace cudash::virtual_gpu {
namespace {

struct Generation {
    unsigned cc;  ///< first compute capability, 10 * major + minor
    CoalescingRule rule;
    std::string_view name;
};
constexpr std::array generations = {
    Generation{10, CoalescingRule::words_in_sequence, "words in sequence, by half-warp"},
    Generation{12, CoalescingRule::shrinking_segments, "segments of 32 to 128 bytes, by half-warp"},
    Generation{20, CoalescingRule::cache_lines, "128-byte cache lines"},
    Generation{50, CoalescingRule::sectors, "32-byte sectors"},
};

std::uint32_t distinct_bytes(const WarpAccess& access) {
    // Accesses are aligned to their size: two of them are the same bytes or share none.
    std::array<std::uint64_t, lanes_per_warp> found;
    std::size_t count = 0;
    for_each_active_lane(access.mask, [&](unsigned lane) { found[count++] = access.addresses[lane]; });
    std::sort(found.begin(), found.begin() + count);
    return static_cast<std::uint32_t>(std::unique(found.begin(), found.begin() + count) - found.begin()) * access.size;
}

/// 32-byte words are younger than these rules: two accesses of 16 bytes.
Coalescing in_halves(const Profile& profile, const WarpAccess& access, LoadCaching caching) {
    WarpAccess half = access;
    half.size /= 2;
    Coalescing both = coalesce(profile, half, caching);
    for (std::uint64_t& address : half.addresses) address += half.size;
    const Coalescing second = coalesce(profile, half, caching);
    const auto requests = static_cast<std::uint32_t>(both.requests.size());
    for (const MemoryRequest& each : second.requests) both.requests.push_back(each);
    for (MemoryTransaction each : second.transactions) {
        each.request += requests;
        both.transactions.push_back(each);
    }
    both.bytes_used += second.bytes_used;
    return both;
}

}  // namespace

std::uint32_t Coalescing::bytes_moved() const {
    std::uint32_t sum = 0;
    for (const MemoryTransaction& each : transactions) sum += each.bytes;
    return sum;
}

std::string_view name_of(CoalescingRule rule) {
    return generations[static_cast<std::size_t>(rule)].name;
}

CoalescingRule coalescing_rule(const Profile& profile) {
    const unsigned cc = profile.cc_major * 10 + profile.cc_minor;
    CoalescingRule found = generations.front().rule;
    for (const Generation& row : generations)
        if (row.cc <= cc) found = row.rule;
    return found;
}

bool loads_in_l1(const Profile& profile, LoadCaching caching) {
    // "cached in both L1 and L2 (this is the default setting)" on 2.x (Programming Guide 4.2, F.4.2); on 3.x L1 is for
    // local memory unless a program opts in (Programming Guide 11, K.3.2). Stores are not kept in L1.
    return caching == LoadCaching::by_default ? profile.cc_major == 2 : caching == LoadCaching::l1_and_l2;
}

Coalescing coalesce(const Profile& profile, const WarpAccess& access, LoadCaching caching) {
    const CoalescingRule rule = coalescing_rule(profile);
    if (access.size > 16 && rule != CoalescingRule::sectors) return in_halves(profile, access, caching);
    Coalescing result;
    switch (rule) {
        case CoalescingRule::words_in_sequence:
            result = words_in_sequence(access);
            break;
        case CoalescingRule::shrinking_segments:
            result = shrinking_segments(access);
            break;
        case CoalescingRule::cache_lines:
            result = cache_lines(access, !access.store && loads_in_l1(profile, caching) ? 128 : 32);
            break;
        case CoalescingRule::sectors:
            result = sectors(access);
            break;
    }
    result.bytes_used = distinct_bytes(access);
    return result;
}

}  // namespace cudash::virtual_gpu
