// What the instructions of a launch ask of a multiprocessor's units, and how long one warp takes for them alone, by
// their costs (isa/instruction_cost.h).
#pragma once

#include "runtime_wrappers/virtual_gpu/devices/timing.h"
#include "runtime_wrappers/virtual_gpu/model/time.h"
#include "runtime_wrappers/virtual_gpu/profile/launch_profile.h"

namespace cudash::virtual_gpu {

/// Fills `issued` to `memory` and `warp_cycles`. `load_latency`: cycles that a load from global memory takes, by where
/// it is found; `warps`: of the launch.
void add_instruction_mix(KernelWork& work, const LaunchProfile& launch, const Timing& timing, double load_latency,
                         double warps);

}  // namespace cudash::virtual_gpu
