#include "runtime_wrappers/virtual_gpu/profile/access_patterns.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cudash::virtual_gpu {
namespace {

template <class Entry>
Entry& least_often(Entry* set, unsigned ways) {
    return *std::min_element(set, set + ways, [](const Entry& a, const Entry& b) { return a.times < b.times; });
}

std::uint64_t hash_of(const std::uint32_t (&offsets)[lanes_per_warp], std::uint64_t more) {
    std::uint64_t sum = more * 0x9E37'79B9'7F4A'7C15ull, factor = 0xC2B2'AE3D'27D4'EB4Full;
    for (unsigned lane = 0; lane < lanes_per_warp; lane += 2) {
        sum += (offsets[lane] ^ std::uint64_t{offsets[lane + 1]} << 32) * factor;
        factor += 0x1656'67B1'9E37'79F8ull;
    }
    return (sum ^ sum >> 29) * 0xFF51'AFD7'ED55'8CCDull;
}

}  // namespace

AccessPatterns::AccessPatterns(Take take)
    : take_(std::move(take)), progressions_(std::size_t{ways} << set_bits), scattered_(std::size_t{ways} << set_bits) {}

void AccessPatterns::hand_on(Progression& entry) {
    Pattern pattern{entry.site, {}, entry.times, entry.origin};
    pattern.access.mask = entry.mask;
    pattern.access.size = entry.size;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
        pattern.access.addresses[lane] =
            entry.first + static_cast<std::uint64_t>(lane / 16 * entry.half + lane % 16 * entry.step);
    entry.times = 0;
    take_(pattern);
}

void AccessPatterns::hand_on(Scattered& entry) {
    Pattern pattern{entry.site, {}, entry.times, entry.origin};
    pattern.access.mask = entry.mask;
    pattern.access.size = entry.size;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
        pattern.access.addresses[lane] = entry.base + entry.offsets[lane];
    entry.times = 0;
    take_(pattern);
}

template <class Entry>
void AccessPatterns::replace(std::vector<Entry>& table, std::vector<std::uint32_t>& used, Entry* set,
                             const Entry& with) {
    const bool is_empty = std::all_of(set, set + ways, [](const Entry& entry) { return entry.times == 0; });
    if (is_empty) used.push_back(static_cast<std::uint32_t>(set - table.data()));
    Entry& victim = least_often(set, ways);
    if (victim.times != 0) hand_on(victim);
    victim = with;
}

void AccessPatterns::replace(Progression* set, const Progression& with) {
    replace(progressions_, used_progressions_, set, with);
}

void AccessPatterns::add(std::uint32_t site, const WarpAccess& access, const AccessOrigin& origin) {
    if (access.mask == 0) return;
    // Without branches, so that these loops are vector code: inactive lanes are where the lowest active one is.
    const std::uint64_t some = access.addresses[static_cast<unsigned>(std::countr_zero(access.mask))];
    std::uint64_t places[lanes_per_warp];
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
        places[lane] = access.mask >> lane & 1 ? access.addresses[lane] : some;
    std::uint64_t low = some, high = some;
    for (const std::uint64_t place : places) low = std::min(low, place), high = std::max(high, place);
    Scattered made;
    made.base = low / period * period;
    if (high - made.base > 0xFFFF'FFFF) return take_({site, access, 1, origin});
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
        const std::uint32_t is_active = 0 - (access.mask >> lane & 1);
        made.offsets[lane] = static_cast<std::uint32_t>(places[lane] - made.base) & is_active;
    }
    made.hash = hash_of(made.offsets, std::uint64_t{site} << 32 | access.mask);
    Scattered* const set = &scattered_[(made.hash >> (64 - set_bits)) * ways];
    for (unsigned way = 0; way < ways; ++way) {
        Scattered& entry = set[way];
        if (entry.hash == made.hash && entry.times != 0 && entry.site == site && entry.mask == access.mask &&
            std::memcmp(entry.offsets, made.offsets, sizeof made.offsets) == 0) {
            ++entry.times;
            if (origin.is_before(entry.origin)) entry.base = made.base, entry.origin = origin;
            return;
        }
    }
    made.times = 1;
    made.site = site;
    made.mask = access.mask;
    made.size = access.size;
    made.origin = origin;
    replace(scattered_, used_scattered_, set, made);
}

void AccessPatterns::flush() {
    const auto hand_on_all = [this](auto& table, std::vector<std::uint32_t>& used) {
        for (const std::uint32_t set : used)
            for (unsigned way = 0; way < ways; ++way)
                if (table[set + way].times != 0) hand_on(table[set + way]);
        used.clear();
    };
    hand_on_all(progressions_, used_progressions_);
    hand_on_all(scattered_, used_scattered_);
}

}  // namespace cudash::virtual_gpu
