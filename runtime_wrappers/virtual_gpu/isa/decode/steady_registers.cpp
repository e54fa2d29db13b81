// What a warp computes alike in every block of a launch: parameters, block dimensions, thread indices and what follows
// from them alone. The warps of a block are used again for the next block and keep their registers, so the
// instructions that define such registers run once and are left out from then on.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/decode/affine_registers.h"

namespace cudash::virtual_gpu {

std::vector<bool> find_steady_registers(const FlowGraph& graph, const AffineRegisters& affine,
                                        const RegisterPlaces& places) {
    const std::size_t registers = graph.registers();
    std::vector<bool> steady(registers);
    const std::vector<std::uint32_t> definitions = graph.count_definitions();
    std::vector<bool> cleared(registers);  // read before it is written on some way: zero there
    for (std::uint32_t r = 0; r < registers; ++r)
        cleared[r] = std::ranges::any_of(places.cleared, [&](auto& each) { return each.first == places.offsets[r]; });
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i = 0; i < graph.items.size(); ++i) {
            const std::uint32_t r = affine_target(graph, affine, i);
            // A block keeps its last instruction: it has to begin somewhere. What a check reads is, as in debug code,
            // what the block has written so far.
            if (r == no_index || steady[r] || !affine.is_affine(r) || definitions[r] != 1 || cleared[r] ||
                graph.is_checked(r) || graph.blocks[graph.block_of[i]].last == i ||
                !affine_choice(graph, affine, i).steady ||
                !std::ranges::all_of(graph.uses[i].reads, [&](std::uint32_t source) { return steady[source]; }))
                continue;
            steady[r] = changed = true;
        }
    }
    return steady;
}

bool is_steady(const FlowGraph& graph, const AffineRegisters& affine, std::uint32_t item) {
    const std::uint32_t r = affine_target(graph, affine, item);
    return r != no_index && affine.steady[r];
}

}  // namespace cudash::virtual_gpu
