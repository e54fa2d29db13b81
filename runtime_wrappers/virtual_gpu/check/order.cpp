#include "runtime_wrappers/virtual_gpu/check/order.h"

#include <algorithm>

namespace cudash::virtual_gpu {

void Order::begin_launch() {
    forget_segments();
    releases_.clear();
}

/// They are behind the floor, and never looked at again.
void Order::forget_segments() {
    base_ = next();
    segments_.clear();
    launch_floor_ = base_;
}

void Order::start_over() {
    segments_.clear();
    base_ = launch_floor_ = 1;
}

void Order::begin_block(BlockClock& block, std::uint64_t number, std::uint32_t warps) {
    block.number = number;
    block.first = next();
    block.warps.resize(warps);
    block.pair_floor.clear();
    for (WarpClock& warp : block.warps) {
        auto lane_floor = std::move(warp.lane_floor);
        warp = {};
        warp.lane_floor = std::move(lane_floor);
        warp.grid_floor = launch_floor_;
    }
}

std::uint32_t Order::segment(const BlockClock& block, std::uint32_t warp) {
    if (segments_.size() >= most_segments) {
        // All numbers are used up, after hours: from now on everything comes before.
        if (base_ > ~std::uint32_t{0} - 3 * most_segments) return launch_floor_ - 1;
        forget_segments();
    }
    const std::uint32_t made = next();
    segments_.push_back({block.number, warp, block.warps[warp].committed});
    return made;
}

bool Order::ordered(const BlockClock& block, std::uint32_t w, unsigned lane, std::uint32_t then,
                    unsigned then_lane) const {
    const WarpClock& warp = block.warps[w];
    if (then < warp.grid_floor || !is_of_this_launch(then)) return true;
    const Segment& other = at(then);
    if (other.block != block.number) return false;
    if (then < warp.block_floor) return true;
    if (other.warp != w) return then < block.pair(w, other.warp);
    if (lane == then_lane || then < warp.warp_floor) return true;
    return warp.lanes_differ && then < (*warp.lane_floor)[lane][then_lane];
}

void Order::whole_block(BlockClock& block) {
    const std::uint32_t now = next();
    std::uint32_t grid = 0, fence_block = 0, fence_grid = 0;
    for (const WarpClock& warp : block.warps) {
        grid = std::max(grid, warp.grid_floor);
        fence_block = std::max(fence_block, warp.fence_block);
        fence_grid = std::max(fence_grid, warp.fence_grid);
    }
    for (WarpClock& warp : block.warps) {
        warp.segment = 0;
        warp.block_floor = warp.warp_floor = now;
        warp.grid_floor = grid;
        warp.fence_block = fence_block;
        warp.fence_grid = fence_grid;
        warp.lanes_differ = false;
    }
}

void Order::whole_cluster(BlockClock& block) {
    whole_block(block);
    for (WarpClock& warp : block.warps) warp.grid_floor = next();
}

void Order::some_warps(BlockClock& block, const std::vector<std::uint32_t>& came,
                       const std::vector<std::uint32_t>& waited) {
    const std::uint32_t now = next();
    const std::size_t count = block.warps.size();
    if (block.pair_floor.empty()) block.pair_floor.assign(count * count, 0);
    std::vector<std::uint32_t> known(count, 0);
    std::uint32_t grid = 0, floor = 0, fence_block = 0, fence_grid = 0;
    for (std::size_t v = 0; v < count; ++v) {
        if (came[v] == 0) continue;
        const WarpClock& warp = block.warps[v];
        known[v] = now;
        grid = std::max(grid, warp.grid_floor);
        floor = std::max(floor, warp.block_floor);
        fence_block = std::max(fence_block, warp.fence_block);
        fence_grid = std::max(fence_grid, warp.fence_grid);
        for (std::size_t x = 0; x < count; ++x) known[x] = std::max(known[x], block.pair_floor[v * count + x]);
    }
    for (std::size_t w = 0; w < count; ++w) {
        if (came[w] == 0) continue;
        WarpClock& warp = block.warps[w];
        warp.segment = 0;
        if (waited[w] == 0) continue;
        warp.warp_floor = now;
        warp.lanes_differ = false;
        warp.grid_floor = std::max(warp.grid_floor, grid);
        warp.block_floor = std::max(warp.block_floor, floor);
        warp.fence_block = std::max(warp.fence_block, fence_block);
        warp.fence_grid = std::max(warp.fence_grid, fence_grid);
        for (std::size_t x = 0; x < count; ++x)
            block.pair_floor[w * count + x] = std::max(block.pair_floor[w * count + x], known[x]);
    }
}

void Order::spread_lanes(WarpClock& warp) {
    if (warp.lanes_differ) return;
    if (!warp.lane_floor) warp.lane_floor = std::make_unique<std::array<std::array<std::uint32_t, 32>, 32>>();
    for (auto& row : *warp.lane_floor) row.fill(warp.warp_floor);
    warp.lanes_differ = true;
}

void Order::lanes(WarpClock& warp, std::uint32_t mask, std::uint32_t live) {
    const std::uint32_t now = next();
    warp.segment = 0;
    if ((live & ~mask) == 0) {
        warp.warp_floor = now;
        warp.lanes_differ = false;
        return;
    }
    spread_lanes(warp);
    std::array<std::uint32_t, 32> joined{};
    for (unsigned l = 0; l < 32; ++l) {
        if ((mask >> l & 1) == 0) continue;
        for (unsigned k = 0; k < 32; ++k) joined[k] = std::max(joined[k], (*warp.lane_floor)[l][k]);
    }
    for (unsigned k = 0; k < 32; ++k)
        if (mask >> k & 1) joined[k] = now;
    for (unsigned l = 0; l < 32; ++l)
        if (mask >> l & 1) (*warp.lane_floor)[l] = joined;
}

void Order::fence(WarpClock& warp, bool grid) {
    warp.segment = 0;
    warp.fence_block = next();
    if (grid) warp.fence_grid = next();
}

void Order::strong_access(const BlockClock& block, WarpClock& warp, std::uint64_t place, const AccessSite& site,
                          bool reads, bool writes) {
    if (reads && !releases_.empty()) {
        const auto found = releases_.find(place);
        if (found != releases_.end()) {
            const Release& release = found->second;
            const std::uint32_t floor =
                release.block == block.number ? std::max(release.of_block, release.of_grid) : release.of_grid;
            warp.grid_floor = std::max(warp.grid_floor, floor);
        }
    }
    if (!writes) return;
    if (site.releases) fence(warp, true);
    if (warp.fence_block == 0) return;
    Release& release = releases_[place];
    release.of_block = std::max(release.block == block.number ? release.of_block : 0, warp.fence_block);
    release.of_grid = std::max(release.of_grid, warp.fence_grid);
    release.block = block.number;
}

void Order::commit_copies(WarpClock& warp) {
    ++warp.committed;
    warp.segment = 0;
}

void Order::complete_copies(WarpClock& warp, std::uint64_t pending) {
    if (pending == 0) ++warp.committed;
    const auto left = static_cast<std::uint32_t>(std::min<std::uint64_t>(pending, warp.committed));
    warp.completed = std::max(warp.completed, warp.committed - left);
    warp.segment = 0;
}

bool Order::copy_is_pending(const BlockClock& block, std::uint32_t segment) const {
    if (!is_of_this_launch(segment)) return false;
    const Segment& then = at(segment);
    return then.block == block.number && then.copies >= block.warps[then.warp].completed;
}

}  // namespace cudash::virtual_gpu
