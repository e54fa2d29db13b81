// All warps of a block have loaded when the first one stores what it made of it, as an H200 does it: `count[0]++` by
// any number of threads adds one (tests/hardware/combinations/orders.cu). Where all threads of the grid share the
// place, the blocks that fit on the device have loaded too. Only accesses that may meet others' are looked at: of one
// place that is the thread's own, or with a barrier between, no order shows.
#include "runtime_wrappers/virtual_gpu/isa/decode/turns.h"

#include <algorithm>
#include <utility>

namespace cudash::virtual_gpu {
namespace {

/// With more of them it would take too long to look at the ways between them.
constexpr std::size_t most_accesses = 128;

Turn turn_for(const OrderedAccess& store) {
    const bool by_block = store.space == ptx::Space::shared || store.address.block_index || store.address.own_memory;
    return by_block && !store.address.loaded ? Turn::warps : Turn::blocks;
}

/// Loads that stand together wait together.
void wait_together(const FlowGraph& graph, const std::vector<Turn>& waits, TurnPlaces& turns) {
    for (const FlowBlock& block : graph.blocks) {
        Turn due = Turn::none;
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            const FlowItem& item = graph.items[i];
            const bool loads = item.is(Effect::load) || item.is(Effect::tile_load);
            const bool goes_on = !item.row || item.is(Class::arithmetic) || loads;
            if (due != Turn::none && (!goes_on || item.flow != FlowItem::Flow::none))
                turns.before[i] = std::exchange(due, Turn::none);
            due = std::max(due, waits[i]);
        }
        if (due != Turn::none) turns.after[block.last] = std::max(turns.after[block.last], due);
    }
}

}  // namespace

TurnPlaces find_turns(const FlowGraph& graph, const AccessOrder& order, const AffineRegisters& affine) {
    const std::size_t count = graph.items.size();
    TurnPlaces turns{std::vector<Turn>(count, Turn::none), std::vector<Turn>(count, Turn::none)};
    const auto& accesses = order.accesses;
    if (accesses.size() > most_accesses) return turns;
    const std::vector<std::uint32_t> definitions = graph.count_definitions();
    const auto own_place = [&](const OrderedAccess& a, const OrderedAccess& b) {
        if (a.base != b.base || a.offset != b.offset || a.base == no_index || definitions[a.base] != 1) return false;
        return affine.shapes.empty() ? a.address.thread_index : affine.shapes[a.base] == Shape::affine;
    };
    std::vector<Turn> waits(count, Turn::none);
    for (const OrderedAccess& first : accesses) {
        const bool meets = std::any_of(accesses.begin(), accesses.end(), [&](const OrderedAccess& other) {
            return other.stores != first.stores && first.may_meet(other) && !own_place(first, other);
        });
        if (!meets) continue;
        const std::vector<bool> reached = graph.reached_without_barrier(first.item);
        for (const OrderedAccess& second : accesses) {
            if (second.stores == first.stores || !reached[second.item] || !first.may_meet(second) ||
                own_place(first, second))
                continue;
            if (!first.stores) {
                waits[first.item] = std::max(waits[first.item], turn_for(second));
            } else if (first.space != ptx::Space::shared || second.item <= first.item) {
                // A load from shared memory right behind the store comes before another warp's turn.
                turns.after[first.item] = Turn::warps;
            }
        }
    }
    wait_together(graph, waits, turns);
    return turns;
}

}  // namespace cudash::virtual_gpu
