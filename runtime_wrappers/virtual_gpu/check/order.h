// What happened before what in a running grid, after the PTX ISA's "Memory Consistency Model". Time is cut into
// segments: what one warp does between two of its synchronisations. Numbers of segments only grow, so "all that has
// happened so far" is one number, a floor: segments below it come before.
//
//   bar.sync, bar.red, barrier.sync   order the threads that take part (Programming Guide, "Synchronization Functions")
//   barrier.cluster                   orders the threads of the cluster
//   bar.warp.sync and *.sync          order the lanes that take part. The Programming Guide promises it for
//                                     __syncwarp() only; shuffles and votes are taken to do it too: rather a miss than
//                                     a false alarm
//   fence, then a strong access       releases what came before the fence; who then reads or changes the same place by
//                                     a strong access acquires it ("Release and Acquire Patterns"), with its own fence
//                                     or without: older code polls volatile variables
// Where an order is taken too generously a race is missed; it is never taken too strictly. So too in a launch of very
// many segments: after each four million all that has happened is taken to come before, and what is kept stays bounded.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/site_table.h"

namespace cudash::virtual_gpu {

struct Segment {
    std::uint64_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t copies = 0;  ///< groups of asynchronous copies that the warp had committed
};

struct WarpClock {
    std::uint32_t segment = 0;                      ///< 0: the next access begins one
    std::uint32_t lanes = 0;                        ///< that it began with
    std::uint32_t block_floor = 0;                  ///< of all warps of the block
    std::uint32_t grid_floor = 0;                   ///< of everyone
    std::uint32_t warp_floor = 0;                   ///< of the warp's own lanes
    std::uint32_t fence_block = 0, fence_grid = 0;  ///< floors that its next strong access releases
    std::uint32_t committed = 0, completed = 0;     ///< groups of asynchronous copies
    bool lanes_differ = false;
    /// lane_floor[a][b]: what lane a knows of lane b, where collectives named some lanes only.
    std::unique_ptr<std::array<std::array<std::uint32_t, 32>, 32>> lane_floor;
};

struct BlockClock {
    std::uint64_t number = 0;
    std::uint32_t first = 0;  ///< segment when it began
    std::vector<WarpClock> warps;
    /// pair_floor[w * warps + v]: what warp w knows of warp v by barriers of some warps; empty: none.
    std::vector<std::uint32_t> pair_floor;

    std::uint32_t pair(std::uint32_t w, std::uint32_t v) const {
        return pair_floor.empty() ? 0 : pair_floor[w * warps.size() + v];
    }
};

class Order {
public:
    void begin_launch();
    std::uint32_t launch_floor() const { return launch_floor_; }
    std::uint32_t next() const { return static_cast<std::uint32_t>(base_ + segments_.size()); }
    /// Numbers run out: whoever keeps some must forget them at the next launch.
    bool worn_out() const { return next() > (1u << 31); }
    void start_over();

    void begin_block(BlockClock& block, std::uint64_t number, std::uint32_t warps);
    std::uint32_t segment(const BlockClock& block, std::uint32_t warp);
    const Segment& at(std::uint32_t segment) const { return segments_[segment - base_]; }
    /// Of earlier ones nothing is known any more but that they come before.
    bool is_of_this_launch(std::uint32_t segment) const { return segment >= launch_floor_; }

    /// Whether what `lane` of a warp did in segment `then` comes before what `lane` of `warp` does now.
    bool ordered(const BlockClock& block, std::uint32_t warp, unsigned lane, std::uint32_t then,
                 unsigned then_lane) const;

    void whole_block(BlockClock& block);
    /// A barrier of the block's cluster. Taken as one of the whole grid: races with other clusters are missed.
    void whole_cluster(BlockClock& block);
    /// Masks by warp of those that came, and of those that waited.
    void some_warps(BlockClock& block, const std::vector<std::uint32_t>& came,
                    const std::vector<std::uint32_t>& waited);
    void lanes(WarpClock& warp, std::uint32_t mask, std::uint32_t live);
    void fence(WarpClock& warp, bool grid);
    /// A strong access: releases to whoever comes after at `place`, acquires from whoever was there.
    void strong_access(const BlockClock& block, WarpClock& warp, std::uint64_t place, const AccessSite& site,
                       bool reads, bool writes);
    void commit_copies(WarpClock& warp);
    void complete_copies(WarpClock& warp, std::uint64_t pending);
    bool copy_is_pending(const BlockClock& block, std::uint32_t segment) const;

private:
    struct Release {
        std::uint64_t block = 0;
        std::uint32_t of_block = 0, of_grid = 0;
    };
    void forget_segments();
    void spread_lanes(WarpClock& warp);

    static constexpr std::size_t most_segments = std::size_t{1} << 22;

    std::deque<Segment> segments_;
    std::uint32_t base_ = 1;
    std::uint32_t launch_floor_ = 1;
    std::unordered_map<std::uint64_t, Release> releases_;
};

}  // namespace cudash::virtual_gpu
