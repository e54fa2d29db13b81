// What a launch is in the middle of, memory of the device apart: with it a launch that runs in order begins again
// between any two stops of debug code. Nothing here points into a block or a warp, so other blocks can take its place.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/stall_watch.h"

namespace cudash::virtual_gpu {

template <class... T>
std::tuple<std::remove_const_t<T>...> values_of(const std::tuple<T&...>&);

/// What is copied as it stands.
template <class AnyWarp>
auto plain_of_warp(AnyWarp& w) {
    return std::tie(w.mask, w.slice, w.local_base, w.segment, w.stack_top, w.live, w.carry, w.at_cluster_barrier,
                    w.warp_instructions, w.thread_instructions, w.wrote, w.watched, w.polled, w.looped, w.stopped_at,
                    w.local_used, w.clock, w.stop, w.resume);
}

/// Frames and joins are named by their places in the warp's lists; -1: none.
struct SavedWarp {
    struct OneFrame {
        Frame frame;
        int caller = -1;
        std::vector<std::byte> registers;  ///< empty: nobody is in it
    };
    struct OneJoin {
        Join join;
        int frame = -1, parent = -1;
    };
    struct OneFragment {
        Fragment fragment;
        int frame = -1, join = -1;
    };
    decltype(values_of(plain_of_warp(std::declval<Warp&>()))) plain;
    std::vector<OneFrame> frames;
    std::vector<OneJoin> joins;
    std::vector<OneFragment> fragments;
    std::vector<int> free_frames, free_joins;
    int frame = -1, join = -1, stepped = -1;
    std::size_t current = 0;
    std::int32_t slice_began = 0;
    std::vector<std::byte> local;  ///< `kept_local` bytes of each lane
    std::uint32_t kept_local = 0;
};

template <class AnyBlock>
auto plain_of_block(AnyBlock& b) {
    return std::tie(b.live_threads, b.barriers, b.order, b.order_changed, b.output, b.failed_asserts, b.failure,
                    b.warnings, b.progressed, b.polled, b.watched, b.loop_watch, b.turn, b.offers_turn,
                    b.slices_after_failure);
}

struct SavedBlock {
    std::uint64_t number = 0;
    decltype(values_of(plain_of_block(std::declval<Block&>()))) plain;
    std::vector<std::byte> shared;
    std::vector<SavedWarp> warps;

    std::uint64_t bytes() const;
};

/// What blocks that are done have left, by number.
struct LeftByBlocks {
    std::map<std::uint64_t, Fault> faults;
    std::map<std::uint64_t, std::string> texts, asserts;
    std::map<std::uint64_t, std::vector<Diagnostic>> warnings;

    /// Of blocks from `first` on.
    void forget(std::uint64_t first);
    LeftByBlocks from(std::uint64_t first) const;
    void add(const LeftByBlocks& others);
};

/// Blocks of a launch in order that take turns.
struct Turns {
    std::unique_ptr<Block> running;
    std::deque<std::unique_ptr<Block>> waiting;
    std::uint64_t unit = 0, next = 0;  ///< the first of them, and who begins after them
    StallWatch watch;
    std::size_t turns = 0;  ///< in this round
    bool round_progressed = false;
    const LeftByBlocks* left = nullptr;
    const std::atomic<std::uint64_t>* done = nullptr;  ///< blocks
};

struct SavedTurns {
    const Instruction* pc = nullptr;  ///< where the running block goes on
    std::vector<SavedBlock> blocks;   ///< the first one runs
    std::uint64_t next = 0;
    StallWatch watch;
    std::size_t turns = 0;
    bool round_progressed = false;
    LeftByBlocks left;
    std::uint64_t done = 0;
    std::uint64_t warp_instructions = 0, thread_instructions = 0;  ///< of blocks that are done
    std::uint64_t bytes = 0;                                       ///< that this takes
};

/// As it is while the running warp stands before `pc`. nullptr: it is in no state that could be restored (lockstep,
/// compiled code, a cluster), or takes more than `most_bytes`.
std::shared_ptr<const SavedTurns> save(const Worker& worker, const Instruction* pc, std::uint64_t most_bytes);
/// The worker's blocks are those, in `turns`.
void restore(const SavedTurns& from, Worker& worker, Turns& turns);

}  // namespace cudash::virtual_gpu
