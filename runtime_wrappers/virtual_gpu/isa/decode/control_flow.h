// Where diverged threads meet again: immediate post-dominators over the instructions of one function.
#pragma once

#include <cstdint>
#include <vector>

namespace cudash::virtual_gpu {

/// A node of the flow graph is one basic block: instructions [first, last].
struct FlowBlock {
    std::uint32_t first = 0, last = 0;
    std::vector<std::uint32_t> successors;  ///< block numbers; leaving the function is not an edge but `leaves`
    bool leaves = false;                    ///< a trap does not: nobody waits for threads that never come
};

inline constexpr std::uint32_t function_end = ~0u;

/// For each block its immediate post-dominator's number, or function_end.
std::vector<std::uint32_t> immediate_post_dominators(const std::vector<FlowBlock>& blocks);

}  // namespace cudash::virtual_gpu
