#include "runtime_wrappers/virtual_gpu/isa/decode/polls.h"

#include <algorithm>
#include <initializer_list>

namespace cudash::virtual_gpu {

void note_polls(const FlowGraph& graph, Program& program) {
    for (std::uint32_t i = 0; i < graph.items.size() && !program.watches; ++i) {
        const FlowItem& item = graph.items[i];
        if (!item.modifiers.spaces.empty() && item.space() != ptx::Space::global) continue;
        const bool strong =
            std::ranges::any_of(std::initializer_list<Mod>{Mod::volatile_, Mod::relaxed, Mod::acquire, Mod::mmio},
                                [&](Mod mod) { return item.modifiers.set.has(mod); });
        const bool loads = item.is(Effect::load) && strong;
        const bool updates = item.is(Effect::atomic) && shape_of(item.row->form).written != 0;  // and looks at it
        if ((!loads && (program.polls || !updates)) || !graph.is_in_loop(i)) continue;
        program.polls = true;
        program.watches = loads;
    }
}

}  // namespace cudash::virtual_gpu
