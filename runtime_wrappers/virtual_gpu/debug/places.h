// Where the threads of a launch are while it is stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
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

/// Headers of the toolkit, and what NVRTC builds in: nobody steps through them unasked.
bool is_toolkit_file(std::string_view file);
/// The line of the program that the instruction belongs to: of inlined toolkit code the line that uses it. nullopt: the
/// function is the toolkit's own.
std::optional<ptx::Location> program_line(const Launch& launch, const Code& code, const Instruction* instruction);
/// The innermost of the calls that is on a line of the program, or the innermost of all.
struct CallPlace {
    const Frame* frame = nullptr;
    const Instruction* instruction = nullptr;
    unsigned level = 0;  ///< calls outwards
};
CallPlace program_place(const Launch& launch, const Frame* frame, const Instruction* instruction);

/// The source line of the instruction.
const ptx::Location& location_of(const Code& code, const Instruction* instruction);

}  // namespace cudash::virtual_gpu
