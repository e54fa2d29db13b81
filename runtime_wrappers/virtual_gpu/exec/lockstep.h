// Lockstep: all warps of a block run each instruction together. An instruction is then fetched once for the block, an
// affine register is one progression over all of its threads (Affine::warp), and a barrier is nothing. A block starts
// so if its kernel has that form (isa/decode/emit_lockstep.cpp) and its warps are full; it goes on warp by warp, from
// the same instruction, where the warps part. Handlers of this form get warp 0, whose affine registers are those of the
// block; registers that hold lanes and predicates are each warp's own.
#pragma once

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"

namespace cudash::virtual_gpu {

/// What a handler of the affine form works on.
enum class Extent : std::uint8_t { warp, block };

template <class Visit>
[[gnu::always_inline]] inline void for_each_active_warp(Warp& first, Visit&& visit) {
    const std::uint32_t last = first.block->lockstep.last;
    for (std::uint32_t k = first.block->lockstep.first; k <= last; ++k)
        if (Warp& each = (&first)[k]; each.mask != 0) visit(each);
}

/// The same in the order in which they store.
template <class Visit>
[[gnu::always_inline]] inline void for_each_storing_warp(Warp& first, Visit&& visit) {
    const Lockstep& lockstep = first.block->lockstep;
    if (!lockstep.reversed) return for_each_active_warp(first, visit);
    for (std::uint32_t k = lockstep.last + 1; k-- > lockstep.first;)
        if (Warp& each = (&first)[k]; each.mask != 0) visit(each);
}

/// Puts the block, whose warps have started, at the kernel's first instruction.
void start_lockstep(Block& block, const Code& kernel);
/// The warps go on one by one, from the instruction that `at` is the lockstep form of.
const Instruction* leave_lockstep(const Instruction* at, Warp& first);
/// Some warp raised a fault.
const Instruction* fault_in_lockstep(Warp& first);

/// As Warp::count_until, for all active warps.
[[gnu::always_inline]] inline void count_until_in_lockstep(Warp& first, std::uint32_t end) {
    const Lockstep& lockstep = first.block->lockstep;
    const std::uint64_t executed = end - first.segment;
    first.warp_instructions += executed * lockstep.warps;
    first.thread_instructions += executed * lockstep.threads;
    if (first.counts) [[unlikely]]
        first.counts->segment(*first.frame->code, first.segment, end, lockstep.warps, lockstep.threads);
}

/// All active lanes go from the branch `i` to `target`.
[[gnu::always_inline]] inline const Instruction* go_to_in_lockstep(const Instruction* i, Warp& first,
                                                                   const Instruction* target) {
    count_until_in_lockstep(first, i->ordinal + 1);
    first.segment = target->counted_from;
    return go_to_target(target, first, target <= i);
}

/// The branch `i` where its predicate is `bits`, by warp. Where warps part they start from `again`.
const Instruction* branch_in_lockstep(const Instruction* i, Warp& first, const std::uint32_t (&bits)[most_warps],
                                      const Instruction* again);

}  // namespace cudash::virtual_gpu
