// Finds out that a grid will never end: blocks that only look at memory, change nothing and come back to the very same
// registers and program counters will do so for ever.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

class StallWatch {
public:
    /// To be told after each round, in which every one of `blocks` had its turn. True: they will never go on.
    bool stalled(bool progressed, std::span<const Block* const> blocks);

    /// They had nothing to do but wait, and look again now. True if they had moved since the last time.
    bool start_over() {
        idle_rounds_ = 0;
        return std::exchange(moved_, false);
    }

private:
    bool moved_ = true;
    std::uint64_t idle_rounds_ = 0, remembered_at_ = 0, remembered_ = 0;
};

/// The fault of a block whose threads loop forever, or wait for something that nobody will change; `blocks`: all that
/// do so.
Fault endless_wait(const Block& block, std::span<const Block* const> blocks);

/// The same where what they wait for are the other blocks of their cluster.
Fault cluster_deadlock(const Block& block, std::span<const Block* const> blocks);

}  // namespace cudash::virtual_gpu
