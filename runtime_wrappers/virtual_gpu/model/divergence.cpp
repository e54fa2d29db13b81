#include "runtime_wrappers/virtual_gpu/model/divergence.h"

namespace cudash::virtual_gpu {

Branch branch_of(const std::uint64_t (&targets)[lanes_per_warp], std::uint32_t mask) {
    Branch branch;
    for_each_active_lane(mask, [&](unsigned lane) {
        for (BranchPath& path : branch.paths)
            if (path.target == targets[lane]) {
                path.lanes |= 1u << lane;
                return;
            }
        branch.paths.push_back({targets[lane], 1u << lane});
    });
    return branch;
}

}  // namespace cudash::virtual_gpu
