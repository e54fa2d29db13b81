#include "runtime_wrappers/virtual_gpu/isa/decode/control_flow.h"

#include <utility>

namespace cudash::virtual_gpu {

// The algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001) on the reversed graph, with
// one exit node added. Blocks that cannot reach an exit (endless loops) get function_end.
std::vector<std::uint32_t> immediate_post_dominators(const std::vector<FlowBlock>& blocks) {
    const std::uint32_t count = static_cast<std::uint32_t>(blocks.size()), exit = count;
    std::vector<std::vector<std::uint32_t>> predecessors(count + 1);
    for (std::uint32_t i = 0; i < count; ++i) {
        for (std::uint32_t successor : blocks[i].successors) predecessors[successor].push_back(i);
        if (blocks[i].leaves) predecessors[exit].push_back(i);
    }
    // Post-order of the reversed graph from the exit.
    std::vector<std::uint32_t> order, number(count + 1, function_end);
    std::vector<bool> seen(count + 1);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit, 0}};
    seen[exit] = true;
    while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == predecessors[node].size()) {
            number[node] = static_cast<std::uint32_t>(order.size());
            order.push_back(node);
            stack.pop_back();
            continue;
        }
        std::uint32_t predecessor = predecessors[node][next++];
        if (seen[predecessor]) continue;
        seen[predecessor] = true;
        stack.emplace_back(predecessor, 0);
    }

    std::vector<std::uint32_t> parent(count + 1, function_end);
    parent[exit] = exit;
    auto meet = [&](std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            while (number[a] < number[b]) a = parent[a];
            while (number[b] < number[a]) b = parent[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = order.size(); i-- > 0;) {
            std::uint32_t node = order[i];
            if (node == exit) continue;
            std::uint32_t best = function_end;
            auto offer = [&](std::uint32_t successor) {
                if (parent[successor] == function_end) return;
                best = best == function_end ? successor : meet(successor, best);
            };
            for (std::uint32_t successor : blocks[node].successors) offer(successor);
            if (blocks[node].leaves) offer(exit);
            if (best == parent[node]) continue;
            parent[node] = best;
            changed = true;
        }
    }
    parent.resize(count);
    for (std::uint32_t& node : parent)
        if (node == exit) node = function_end;
    return parent;
}

}  // namespace cudash::virtual_gpu
