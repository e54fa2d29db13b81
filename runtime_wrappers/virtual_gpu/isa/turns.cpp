// The part of the decoder that says where a warp waits for memory so long that the others of its block go on. All warps
// of a block have loaded when the first one stores what it made of it, as an H200 does it: `count[0]++` by any number
// of threads adds one (tests/hardware/combinations/orders.cu). Where all threads of the grid share the place, the
// blocks that fit on the device have loaded too. Only accesses that may meet others' are looked at: of one place that
// is the thread's own, or with a barrier between, no order shows.
#include <algorithm>
#include <initializer_list>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

/// With more of them it would take too long to look at the ways between them.
constexpr std::size_t most_accesses = 128;

}  // namespace

void FunctionDecoder::find_turns() {
    turn_before_.assign(items_.size(), Turn::none);
    turn_after_.assign(items_.size(), Turn::none);
    if (accesses_.size() > most_accesses) return;
    const std::vector<std::uint32_t> definitions = count_definitions();
    const auto own_place = [&](const OrderedAccess& a, const OrderedAccess& b) {
        if (a.base != b.base || a.offset != b.offset || a.base == no_index || definitions[a.base] != 1) return false;
        return affine_.shapes.empty() ? a.address.thread_index : affine_.shapes[a.base] == Shape::affine;
    };
    const auto turn_for = [](const OrderedAccess& store) {
        const bool by_block =
            store.space == ptx::Space::shared || store.address.block_index || store.address.own_memory;
        return by_block && !store.address.loaded ? Turn::warps : Turn::blocks;
    };
    std::vector<Turn> waits(items_.size(), Turn::none);
    for (const OrderedAccess& first : accesses_) {
        const bool meets = std::any_of(accesses_.begin(), accesses_.end(), [&](const OrderedAccess& other) {
            return other.stores != first.stores && first.may_meet(other) && !own_place(first, other);
        });
        if (!meets) continue;
        const std::vector<bool> reached = reached_without_barrier(first.item);
        for (const OrderedAccess& second : accesses_) {
            if (second.stores == first.stores || !reached[second.item] || !first.may_meet(second) ||
                own_place(first, second))
                continue;
            if (!first.stores) {
                waits[first.item] = std::max(waits[first.item], turn_for(second));
            } else if (first.space != ptx::Space::shared || second.item <= first.item) {
                // A load from shared memory right behind the store comes before another warp's turn.
                turn_after_[first.item] = Turn::warps;
            }
        }
    }
    // Loads that stand together wait together.
    for (const FlowBlock& block : blocks_) {
        Turn due = Turn::none;
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            const Item& item = items_[i];
            const bool loads = item.is(Effect::load) || item.is(Effect::tile_load);
            const bool goes_on = !item.row || item.is(Class::arithmetic) || loads;
            if (due != Turn::none && (!goes_on || item.flow != Item::Flow::none)) {
                turn_before_[i] = std::exchange(due, Turn::none);
            }
            due = std::max(due, waits[i]);
        }
        if (due != Turn::none) turn_after_[block.last] = std::max(turn_after_[block.last], due);
    }
}

bool FunctionDecoder::is_in_loop(std::uint32_t item) const {
    const std::uint32_t home = block_of_[item];
    std::vector<bool> seen(blocks_.size());
    std::vector<std::uint32_t> open{home};
    while (!open.empty()) {
        const std::uint32_t b = open.back();
        open.pop_back();
        for (std::uint32_t successor : blocks_[b].successors) {
            if (successor == home) return true;
            if (!seen[successor]) open.push_back(successor);
            seen[successor] = true;
        }
    }
    return false;
}

void FunctionDecoder::find_polls() {
    Program& program = surroundings_.program();
    for (std::uint32_t i = 0; i < items_.size() && !program.watches; ++i) {
        const Item& item = items_[i];
        const auto& spaces = item.modifiers.spaces;
        if (!spaces.empty() && spaces.front() != ptx::Space::global) continue;
        const bool strong =
            std::ranges::any_of(std::initializer_list<Mod>{Mod::volatile_, Mod::relaxed, Mod::acquire, Mod::mmio},
                                [&](Mod mod) { return item.modifiers.set.has(mod); });
        const bool loads = item.is(Effect::load) && strong;
        const bool updates = item.is(Effect::atomic) && shape_of(item.row->form).written != 0;  // and looks at it
        if ((!loads && (program.polls || !updates)) || !is_in_loop(i)) continue;
        program.polls = true;
        program.watches = loads;
    }
}

void FunctionDecoder::push_turn(const Item& item, Turn turn) {
    if (turn == Turn::none) return;
    Instruction instruction;
    instruction.run = run_turn;
    instruction.option = turn == Turn::blocks;
    push(item, {instruction, {run_turn, run_turn_together}}, false);
}

}  // namespace cudash::virtual_gpu
