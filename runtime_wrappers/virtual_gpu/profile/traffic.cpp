#include "runtime_wrappers/virtual_gpu/profile/traffic.h"

#include <algorithm>

namespace cudash::virtual_gpu {
namespace {

GlobalCost cost_of(const CoalescingCount& c) {
    return {c.requests, c.transactions, c.sectors};
}

/// 32-byte words are younger than these rules: two accesses of 16 bytes.
template <class Rule>
GlobalCost in_halves(const WarpAccess& access, Rule&& rule) {
    if (access.size <= 16) return cost_of(rule(access));
    WarpAccess half = access;
    half.size /= 2;
    GlobalCost sum = cost_of(rule(half));
    for (std::uint64_t& address : half.addresses) address += half.size;
    const GlobalCost second = cost_of(rule(half));
    sum.requests += second.requests;
    sum.transactions += second.transactions;
    sum.sectors += second.sectors;
    return sum;
}

}  // namespace

GlobalRule global_rule(const Profile& profile, bool store, LoadCaching caching) {
    switch (coalescing_rule(profile)) {
        case CoalescingRule::words_in_sequence:
            return GlobalRule::words_in_sequence;
        case CoalescingRule::shrinking_segments:
            return GlobalRule::shrinking_segments;
        case CoalescingRule::cache_lines:
            return loads_in_l1(profile, caching) && !store ? GlobalRule::lines_in_l1 : GlobalRule::lines_in_l2;
        case CoalescingRule::sectors:
            break;
    }
    return GlobalRule::sectors;
}

SharedRule shared_rule(const Profile& profile, BankSize bank_size) {
    if (profile.cc_major < 2) return SharedRule::broadcast_word;
    if (profile.cc_major < 3) return SharedRule::multicast;
    if (profile.cc_major < 5)
        return bank_size == BankSize::eight_bytes ? SharedRule::eight_byte_banks : SharedRule::four_byte_banks;
    return joins_equal_lanes(profile) ? SharedRule::joined : SharedRule::phases;
}

GlobalCost global_cost(GlobalRule rule, const WarpAccess& access) {
    switch (rule) {
        case GlobalRule::words_in_sequence:
            return in_halves(access, count_words_in_sequence);
        case GlobalRule::shrinking_segments:
            return in_halves(access, count_shrinking_segments);
        case GlobalRule::lines_in_l1:
            return in_halves(access, [](const WarpAccess& a) { return count_cache_lines(a, 128); });
        case GlobalRule::lines_in_l2:
            return in_halves(access, [](const WarpAccess& a) { return count_cache_lines(a, 32); });
        case GlobalRule::sectors:
            break;
    }
    return cost_of(count_sectors(access));
}

SharedCost shared_cost(SharedRule rule, const WarpAccess& access) {
    const auto count = [&] {
        switch (rule) {
            case SharedRule::broadcast_word:
                return count_broadcast_word(access);
            case SharedRule::multicast:
                return count_multicast(access);
            case SharedRule::four_byte_banks:
                return count_double_width(access, BankSize::four_bytes);
            case SharedRule::eight_byte_banks:
                return count_double_width(access, BankSize::eight_bytes);
            case SharedRule::phases:
                return count_phases(access, false);
            case SharedRule::joined:
                break;
        }
        return count_phases(access, true);
    };
    const Wavefronts found = count();
    return {found.all, found.ideal};
}

std::array<GlobalCost, global_rules> Traffic::add_global(const WarpAccess& access, std::uint64_t times,
                                                         std::optional<GlobalRule> only) {
    std::array<GlobalCost, global_rules> costs;
    accesses += times;
    threads += times * static_cast<unsigned>(std::popcount(access.mask));
    for (std::size_t rule = 0; rule < global_rules; ++rule) {
        if (only && rule != static_cast<std::size_t>(*only)) continue;
        const GlobalCost& cost = costs[rule] = global_cost(static_cast<GlobalRule>(rule), access);
        global[rule].requests += times * cost.requests;
        global[rule].transactions += times * cost.transactions;
        global[rule].sectors += times * cost.sectors;
    }
    // As Nsight Compute's memory_l2_theoretical_sectors_global_ideal, recorded on an H200: what several lanes read
    // counts for each of them, but no more than the access has.
    const std::uint64_t asked = std::uint64_t{access.size} * static_cast<unsigned>(std::popcount(access.mask));
    ideal_sectors += times * std::min(costs[static_cast<std::size_t>(GlobalRule::sectors)].sectors, (asked + 31) / 32);
    return costs;
}

std::array<SharedCost, shared_rules> Traffic::add_shared(const WarpAccess& access, std::uint64_t times,
                                                         std::optional<SharedRule> only) {
    std::array<SharedCost, shared_rules> costs;
    accesses += times;
    threads += times * static_cast<unsigned>(std::popcount(access.mask));
    for (std::size_t rule = 0; rule < shared_rules; ++rule) {
        // Words of up to 32 bits are one request of 32 banks by the rules that differ only in wider ones.
        const auto each = static_cast<SharedRule>(rule);
        if (only && each != *only) continue;
        const bool as_multicast = access.size <= 4 && (each == SharedRule::phases || each == SharedRule::joined);
        if (!as_multicast || only)
            costs[rule] = shared_cost(as_multicast ? SharedRule::multicast : each, access);
        else
            costs[rule] = costs[static_cast<std::size_t>(SharedRule::multicast)];
        const SharedCost& cost = costs[rule];
        shared[rule].wavefronts += times * cost.wavefronts;
        shared[rule].ideal += times * cost.ideal;
    }
    return costs;
}

void Traffic::scale(double factor) {
    const auto by = [factor](std::uint64_t& count) { count = scaled(count, factor); };
    by(accesses), by(threads), by(ideal_sectors);
    for (GlobalCost& each : global) by(each.requests), by(each.transactions), by(each.sectors);
    for (SharedCost& each : shared) by(each.wavefronts), by(each.ideal);
}

Traffic& Traffic::operator+=(const Traffic& other) {
    accesses += other.accesses;
    threads += other.threads;
    ideal_sectors += other.ideal_sectors;
    for (std::size_t rule = 0; rule < global_rules; ++rule) {
        global[rule].requests += other.global[rule].requests;
        global[rule].transactions += other.global[rule].transactions;
        global[rule].sectors += other.global[rule].sectors;
    }
    for (std::size_t rule = 0; rule < shared_rules; ++rule) {
        shared[rule].wavefronts += other.shared[rule].wavefronts;
        shared[rule].ideal += other.shared[rule].ideal;
    }
    return *this;
}

}  // namespace cudash::virtual_gpu
