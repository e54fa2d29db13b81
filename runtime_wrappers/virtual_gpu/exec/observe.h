// Makes the records that observers of a block get (exec/observer.h).
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/observer.h"
#include "runtime_wrappers/virtual_gpu/exec/warp.h"

namespace cudash::virtual_gpu {

struct Access;
struct AccessShape;

void observe(Warp& w, const Instruction* i, const Access& access, const AccessShape& shape);
/// Lane l of half h accesses first[h] + (l % 16) * step.
void observe_progression(Warp& w, const Instruction* i, const std::uint64_t (&first)[2], std::int64_t step,
                         std::uint64_t bias, const AccessShape& shape);
/// Where lane 0 of warp 0 accesses, and how far apart lanes, halves and warps are.
struct BlockProgression {
    std::uint64_t first = 0;
    std::int64_t step = 0, half = 0, warp = 0;
};
/// All warps of a block in lockstep; `w` is the first of them.
void observe_block(Warp& w, const Instruction* i, const BlockProgression& places, const AccessShape& shape);
/// A place in the frame's local memory, the same for all lanes.
void observe_frame(Warp& w, const Instruction* i, std::uint64_t offset, std::uint32_t size, AccessKind kind);
PlaceRecord place_of(const Warp& w, const Instruction* i);
/// `named`: by lane, the lanes that it names; may be nullptr.
void observe_collective(Warp& w, const Instruction* i, std::uint32_t members, const std::uint32_t* named);

}  // namespace cudash::virtual_gpu
