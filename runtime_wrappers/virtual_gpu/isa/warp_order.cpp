// The part of the decoder that asks whether the order of a block's warps shows in shared memory. A kernel that lacks a
// barrier is to go wrong as it would on a GPU, whose warps are not in lockstep: one that stores what others load, with
// no barrier between, runs warp by warp. Where a store comes after a load, as in `s[t] += s[t + half]`, the places
// decide.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"

namespace cudash::virtual_gpu {
namespace {

/// With more stores it would take too long to look at the ways between them and all loads.
constexpr std::size_t most_stores = 64;

}  // namespace

bool FunctionDecoder::may_be_shared(const Item& item) const {
    if (!item.row || item.row->klass != Class::memory) return false;
    const auto& spaces = item.modifiers.spaces;
    return spaces.empty() || spaces.front() == ptx::Space::shared;
}

/// By item: whether threads can get there from behind `start`, or from there to it, without a barrier on the way.
std::vector<bool> FunctionDecoder::reached_without_barrier(std::uint32_t start, bool forward,
                                                           const BlockLists& predecessors) const {
    std::vector<bool> reached(items_.size()), queued(blocks_.size());
    std::vector<std::uint32_t> queue;
    auto passes = [&](std::uint32_t i) {
        if (items_[i].row && items_[i].row->klass == Class::barrier) return false;
        reached[i] = true;
        return true;
    };
    auto enqueue = [&](std::uint32_t b) {
        if (!queued[b]) queue.push_back(b);
        queued[b] = true;
    };
    const std::uint32_t home = block_of_[start];
    auto walk = [&](std::uint32_t b, std::uint32_t from) {
        if (forward) {
            for (std::uint32_t i = from; i <= blocks_[b].last; ++i)
                if (!passes(i)) return;
            for (std::uint32_t successor : blocks_[b].successors) enqueue(successor);
        } else {
            for (std::uint32_t i = from; i-- > blocks_[b].first;)
                if (!passes(i)) return;
            for (std::uint32_t predecessor : predecessors[b]) enqueue(predecessor);
        }
    };
    walk(home, forward ? start + 1 : start);
    while (!queue.empty()) {
        const std::uint32_t b = queue.back();
        queue.pop_back();
        walk(b, forward ? blocks_[b].first : blocks_[b].last + 1);
    }
    return reached;
}

bool FunctionDecoder::find_warp_order() {
    stores_after_.clear();
    std::vector<std::uint32_t> loads, stores, definitions(scopes_.register_bytes().size()), defined_at(definitions);
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
        for (std::uint32_t r : uses_[i].writes) {
            ++definitions[r];
            defined_at[r] = i;
        }
        if (!may_be_shared(items_[i])) continue;
        if (items_[i].written->operands.size() < 2) return true;  // what is no instruction is refused elsewhere
        (items_[i].written->mnemonic == "st" ? stores : loads).push_back(i);
    }
    if (loads.empty() || stores.empty()) return false;
    if (stores.size() > most_stores) return true;
    BlockLists predecessors(blocks_.size());
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
        for (std::uint32_t successor : blocks_[b].successors) predecessors[successor].push_back(b);
    auto address = [&](std::uint32_t i) -> const ptx::Operand& {
        return items_[i].written->operands[items_[i].written->mnemonic == "st" ? 0 : 1];
    };
    auto base = [&](std::uint32_t i) { return scopes_.find_register(items_[i].scope, address(i).name).number; };
    for (std::uint32_t store : stores) {
        const auto after = reached_without_barrier(store, true, predecessors),
                   before = reached_without_barrier(store, false, predecessors);
        const std::uint32_t r = base(store);
        for (std::uint32_t load : loads) {
            if (!after[load] && !before[load]) continue;
            // The thread's own place.
            if (base(load) == r && address(load).name == address(store).name &&
                address(load).offset == address(store).offset && (r == no_index || definitions[r] == 1))
                continue;
            const bool known = r != no_index && definitions[r] == 1 && defined_at[r] < load && affine_.is_affine(r) &&
                               affine_choice(items_[load]).run && items_[load].written->guard.empty();
            if (after[load] || load > store || !known) return true;
            stores_after_[load].push_back(store);
        }
    }
    return false;
}

}  // namespace cudash::virtual_gpu
