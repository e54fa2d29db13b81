// Notices a block that comes back to the same registers and program counters: it may be in a loop that never ends.
#pragma once

#include <cstdint>
#include <span>

namespace cudash::virtual_gpu {

struct Block;

/// What decides how `blocks` go on, memory and clocks apart: registers, program counters, active lanes.
std::uint64_t state_of(std::span<const Block* const> blocks);

/// Cheap enough for every block: it looks after 16, 32, 64, ... slices, and then at a sixteenth as many (at least one),
/// or fewer where a look takes longer than a slice.
class LoopWatch {
public:
    /// To be told after each slice. True: the state is one that the block was in before.
    bool repeats(const Block& block);

private:
    std::uint64_t slices_ = 0, remembered_at_ = 0, remembered_ = 0, looks_ = 0;
};

}  // namespace cudash::virtual_gpu
