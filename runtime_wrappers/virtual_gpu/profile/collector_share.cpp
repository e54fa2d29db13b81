#include "runtime_wrappers/virtual_gpu/profile/collector_share.h"

#include <algorithm>
#include <utility>

#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::virtual_gpu {
namespace {

/// Constants come through a cache of their own, and parameters of calls are registers on hardware.
bool is_counted(const Code& code, std::uint32_t index) {
    const ptx::Instruction* written = code.written[index];
    if (!written) return false;
    const ParsedModifiers modifiers = parse_modifiers(written->modifiers);
    return std::ranges::none_of(
        modifiers.spaces, [](ptx::Space space) { return space == ptx::Space::constant || space == ptx::Space::param; });
}

}  // namespace

std::uint32_t Collector::Share::find_site(const Code& code, const Instruction* instruction, SiteKey key) {
    key.code = &code;
    key.index = code.index_of(instruction);
    auto found = known_.find(key);
    if (found == known_.end()) {
        std::uint32_t site = not_counted;
        if (is_counted(code, key.index)) {
            site = static_cast<std::uint32_t>(sites_.size());
            sites_.emplace_back().key = key;
        }
        found = known_.emplace(key, site).first;
    }
    const std::uint32_t direct = instruction->cache;
    if (direct < most_direct) {
        if (direct >= by_cache_.size()) by_cache_.resize(direct + 1);
        by_cache_[direct] = {instruction, key, found->second};
    }
    return found->second;
}

void Collector::Share::access(const AccessRecord& record) {
    if (record.mask == 0) return;
    const auto lowest = static_cast<unsigned>(std::countr_zero(record.mask));
    const MemorySpace space = space_at(record.space, record.address(lowest));
    if (record.space != ptx::Space::none || !record.addresses) return access_within(record, record.mask, space);
    // Generic addresses of one access may be of several spaces.
    std::uint32_t left = record.mask;
    while (left != 0) {
        const MemorySpace first = space_at(record.space, record.address(static_cast<unsigned>(std::countr_zero(left))));
        std::uint32_t same = 0;
        for_each_active_lane(left, [&](unsigned lane) {
            same |= std::uint32_t{space_at(record.space, record.address(lane)) == first} << lane;
        });
        access_within(record, same, first);
        left &= ~same;
    }
}

void Collector::Share::access_within(const AccessRecord& record, std::uint32_t mask, MemorySpace space) {
    const std::uint32_t site = site_of(record, space);
    if (site == not_counted) return;
    const AccessOrigin origin{record.block, number_++, record.warp};
    if (space == MemorySpace::local) {
        Traffic& traffic = sites_[site].traffic;
        ++traffic.accesses;
        traffic.threads += static_cast<unsigned>(std::popcount(mask));
        return;
    }
    if (!record.addresses) {
        if (space == MemorySpace::global)
            trace_.progression(record.first[0], static_cast<std::int64_t>(record.first[1] - record.first[0]),
                               record.step, record.size, mask, record.kind);
        patterns_.add_progression(site, record.size, mask, record.first[0],
                                  static_cast<std::int64_t>(record.first[1] - record.first[0]), record.step, 1, origin);
        return;
    }
    if (space == MemorySpace::global) trace_.scattered(record.addresses, mask, record.size, record.kind);
    WarpAccess access;
    std::copy_n(record.addresses, lanes_per_warp, access.addresses.begin());
    access.mask = mask;
    access.size = record.size;
    patterns_.add(site, access, origin);
}

void Collector::Share::block_access(const BlockAccessRecord& record) {
    const MemorySpace space = space_at(record.space, record.first);
    const std::uint32_t site = site_of(record, space);
    if (site == not_counted) return;
    const std::uint32_t warps = record.last_warp - record.first_warp + 1;
    const auto at = [&](std::uint32_t k) { return record.first + k * static_cast<std::uint64_t>(record.warp); };
    if (space == MemorySpace::global) trace_.block(record);
    if (!record.masks && static_cast<std::uint64_t>(record.warp) % AccessPatterns::period == 0) {
        patterns_.add_progression(site, record.size, ~0u, at(record.first_warp), record.half, record.step, warps,
                                  {record.block, number_, record.first_warp});
        number_ += warps;
        return;
    }
    for (std::uint32_t k = record.first_warp; k <= record.last_warp; ++k) {
        const std::uint32_t mask = record.masks ? record.masks[k] : ~0u;
        if (mask == 0) continue;
        patterns_.add_progression(site, record.size, mask, at(k), record.half, record.step, 1,
                                  {record.block, number_++, k});
    }
}

void Collector::Share::price(const AccessPatterns::Pattern& pattern) {
    SiteTraffic& site = sites_[pattern.site];
    WarpAccess access = pattern.access;
    access.store = site.key.kind != AccessKind::load;
    if (collector_.time_only_) {
        const PriceOptions& chosen = collector_.context_.chosen;
        if (site.key.space == MemorySpace::shared)
            site.traffic.add_shared(access, pattern.times, shared_rule(*device_, chosen.bank_size));
        else
            site.traffic.add_global(access, pattern.times, global_rule(*device_, access.store, chosen.caching));
        return;
    }
    std::uint64_t cost = 0;
    if (site.key.space == MemorySpace::shared) {
        const auto rule = static_cast<std::size_t>(shared_rule(*device_));
        cost = site.traffic.add_shared(access, pattern.times)[rule].wavefronts;
    } else {
        const auto rule = static_cast<std::size_t>(global_rule(*device_, access.store));
        cost = site.traffic.add_global(access, pattern.times)[rule].sectors;
    }
    keep_worse(site, cost, access, pattern.origin);
}

/// After so many blocks, which ran one after the other, those behind `block` are left out if enough was counted: that
/// is the same in every run, however many threads there are.
void Collector::Share::decide(std::uint64_t block) {
    ++ended_;
    if (ended_ % first_blocks != 0) return;
    const std::uint64_t counted = counts_.warp_instructions();
    if (ended_ == first_blocks) {
        of_first_blocks_ = counted;
        first_trace_ = std::exchange(trace_, {});
        begin_trace();
    } else if (counted >= enough_instructions && launch_->grid_blocks() - block > ended_ / 4) {
        until_ = block + 1;
        decided_ = true;
        collector_.plan(*until_);
    }
}

std::optional<std::uint64_t> Collector::Share::blocks_left(std::uint64_t next) {
    if (until_) return *until_ - std::min(next, *until_);
    if (decided_ || ended_ < first_blocks) return std::nullopt;
    const std::uint64_t each = std::max<std::uint64_t>(1, counts_.warp_instructions() / ended_);
    const std::uint64_t enough = std::max(enough_instructions / each, 2 * first_blocks);
    if (enough > launch_->grid_blocks() / 2) return std::nullopt;
    return enough - std::min(next, enough);
}

}  // namespace cudash::virtual_gpu
