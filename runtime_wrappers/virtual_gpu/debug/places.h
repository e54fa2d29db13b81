// Where the threads of a launch are while it is stopped.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

/// A lane as the other threads see it.
enum class LaneState : std::uint8_t {
    active,      ///< executes the next instruction
    diverged,    ///< took another way, and goes on later
    joins,       ///< waits for lanes that took another way
    barrier,     ///< waits at a barrier of the block
    collective,  ///< waits for the other lanes of a warp-level call
    finished,
    none  ///< the block has no such thread
};

struct LanePlace {
    LaneState state = LaneState::none;
    Frame* frame = nullptr;                    ///< innermost; nullptr: finished, or none
    const Instruction* instruction = nullptr;  ///< what it executes next, or waits at
};

/// The warp that stopped, and the stop before the instruction that it executes next; of other warps nullptr.
struct Standing {
    const Warp* warp = nullptr;
    const Instruction* stop = nullptr;
};

std::vector<LanePlace> lane_places(const Warp& warp, const Standing& standing);

/// The source line of the instruction.
const ptx::Location& location_of(const Code& code, const Instruction* instruction);

}  // namespace cudash::virtual_gpu
