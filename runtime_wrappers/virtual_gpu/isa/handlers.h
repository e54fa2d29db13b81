// The handlers that the decoder knows by name: of the helper instructions that it adds, and of forms that it gives to
// written ones. exec/control.cpp and exec/lockstep.cpp define them; "together" is the form for all warps of a block in
// lockstep.
#pragma once

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

const Instruction* run_guarded(const Instruction* i, Warp& w);
const Instruction* run_join(const Instruction* i, Warp& w);
const Instruction* run_join_together(const Instruction* i, Warp& w);
/// The warp waits for memory: others go on (isa/decode/turns.cpp).
const Instruction* run_turn(const Instruction* i, Warp& w);
const Instruction* run_turn_together(const Instruction* i, Warp& w);
const Instruction* run_skip(const Instruction* i, Warp& w);  ///< lanes whose guard is false go to the target
const Instruction* run_stop(const Instruction* i, Warp& w);  ///< of debug code (exec/stops.h)
/// Of debug code without stops: where somebody may want to stop.
const Instruction* run_check(const Instruction* i, Warp& w);
const Instruction* run_check_together(const Instruction* i, Warp& w);
const Instruction* run_jump_to_next(const Instruction* i, Warp& w);
const Instruction* run_pause(const Instruction* i, Warp& w);  ///< nothing, by the way through Warp::run()
const Instruction* run_end_of_steady(const Instruction* i, Warp& w);
const Instruction* run_nothing(const Instruction* i, Warp& w);  ///< exec/barriers.cpp
const Instruction* run_refused(const Instruction* i, Warp& w);
const Instruction* run_exit(const Instruction* i, Warp& w);
const Instruction* run_exit_together(const Instruction* i, Warp& w);
const Instruction* run_guarded_exit_together(const Instruction* i, Warp& w);
const Instruction* run_jump_together(const Instruction* i, Warp& w);
const Instruction* run_branch_together(const Instruction* i, Warp& w);
const Instruction* run_block_barrier_together(const Instruction* i, Warp& w);
const Instruction* run_return(const Instruction* i, Warp& w);

/// Instructions without a form of their own: `inner` for one warp after the other.
const Instruction* run_each_warp(const Instruction* i, Warp& first);
/// The same of a store.
const Instruction* run_each_storing_warp(const Instruction* i, Warp& first);
/// As run_each_warp, for the lanes whose guard is true. `affine_sources`: how many of a and b are affine registers.
Handler each_guarded_warp(unsigned affine_sources);
/// Several such instructions that only compute: all of them for one warp after the other, whose registers are at hand
/// then. They stand once more, as plain ones and with an end behind them that leads on, `guard` instructions further.
const Instruction* run_sequence(const Instruction* i, Warp& first);
const Instruction* run_end_of_sequence(const Instruction* i, Warp& w);

/// Two loads and the fma that multiplies what they loaded, as one: the handler for the first of the three affine
/// instructions at `first`, or nullptr if they are something else. Nothing else may read the loaded registers: they
/// are not written.
inline constexpr std::uint32_t fused_instructions = 3;
Handler fused_multiply_add(const Instruction* first);

}  // namespace cudash::virtual_gpu
