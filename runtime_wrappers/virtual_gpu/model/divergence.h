// Divergence: lanes of a warp that want to go different ways go one way after the other. "A warp executes one common
// instruction at a time, so full efficiency is realized when all 32 threads of a warp agree on their execution path"
// (CUDA C++ Programming Guide, "SIMT Architecture").
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/model/warp_access.h"

namespace cudash::virtual_gpu {

/// Lanes that go to the same place.
struct BranchPath {
    std::uint64_t target;
    std::uint32_t lanes;
};
struct Branch {
    ShortList<BranchPath, lanes_per_warp> paths;  ///< that of the lowest lane first
    /// smsp__sass_branch_targets_threads_divergent: two or more active lanes with different targets.
    bool divergent() const { return paths.size() > 1; }
};
/// `targets`: by lane, where it goes.
Branch branch_of(const std::uint64_t (&targets)[lanes_per_warp], std::uint32_t mask);

struct Activity {
    std::uint64_t warp_instructions = 0;    ///< smsp__inst_executed
    std::uint64_t thread_instructions = 0;  ///< smsp__thread_inst_executed
    /// smsp__thread_inst_executed_per_inst_executed: 32 without divergence.
    double lanes_per_instruction() const {
        return warp_instructions == 0
                   ? 0.0
                   : static_cast<double>(thread_instructions) / static_cast<double>(warp_instructions);
    }
    double efficiency() const { return lanes_per_instruction() / lanes_per_warp; }
};

}  // namespace cudash::virtual_gpu
