// The part of the decoder that asks whether the order of a block's warps shows in shared memory. A kernel that lacks a
// barrier is to go wrong as it would on a GPU, whose warps are not in lockstep: one that stores what others load, with
// no barrier between, runs warp by warp. A store that needs what was loaded before, as in `s[t] = s[t + 1]`, is another
// thing: the load takes so long that all warps have loaded when the first one stores (recorded on an H200). That is
// what lockstep gives too; isa/turns.cpp has it for warps that are not in lockstep.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"

namespace cudash::virtual_gpu {
namespace {

/// With more stores it would take too long to look at the ways between them and all loads.
constexpr std::size_t most_stores = 64;

}  // namespace

bool FunctionDecoder::may_be_shared(const Item& item) const {
    if (!item.is(Class::memory)) return false;
    const auto& spaces = item.modifiers.spaces;
    return spaces.empty() || spaces.front() == ptx::Space::shared;
}

/// By item: whether threads can get there from behind `start` without a barrier on the way.
std::vector<bool> FunctionDecoder::reached_without_barrier(std::uint32_t start) const {
    std::vector<bool> reached(items_.size()), queued(blocks_.size());
    std::vector<std::uint32_t> queue;
    auto walk = [&](std::uint32_t b, std::uint32_t from) {
        for (std::uint32_t i = from; i <= blocks_[b].last; ++i) {
            if (items_[i].is(Class::barrier)) return;
            reached[i] = true;
        }
        for (std::uint32_t successor : blocks_[b].successors) {
            if (!queued[successor]) queue.push_back(successor);
            queued[successor] = true;
        }
    };
    walk(block_of_[start], start + 1);
    while (!queue.empty()) {
        const std::uint32_t b = queue.back();
        queue.pop_back();
        walk(b, blocks_[b].first);
    }
    return reached;
}

/// Generic addresses, as debug code has them: one of the block's own memory, and one that comes from a parameter.
bool FunctionDecoder::lie_apart(std::uint32_t item, std::uint32_t other) const {
    const auto one = std::ranges::find(accesses_, item, &OrderedAccess::item);
    const auto two = std::ranges::find(accesses_, other, &OrderedAccess::item);
    if (one == accesses_.end() || two == accesses_.end()) return false;
    const auto is_own = [](const Provenance& from) { return from.own_memory && from.roots == 0 && !from.loaded; };
    const auto is_global = [](const Provenance& from) { return !from.own_memory && from.roots != 0 && !from.loaded; };
    return (is_own(one->address) && is_global(two->address)) || (is_global(one->address) && is_own(two->address));
}

bool FunctionDecoder::is_same_in_all_rounds(std::uint32_t r, const std::vector<std::uint32_t>& definitions,
                                            unsigned depth) const {
    constexpr unsigned deepest = 16;
    if (definitions[r] != 1 || depth == deepest) return false;
    const auto writes = [&](const RegisterUse& use) { return std::ranges::find(use.writes, r) != use.writes.end(); };
    const auto found = std::ranges::find_if(uses_, writes);
    if (found->may_keep) return false;
    const auto item = static_cast<std::uint32_t>(found - uses_.begin());
    if (!is_in_loop(item)) return true;
    return items_[item].is(Class::arithmetic) && std::ranges::all_of(found->reads, [&](std::uint32_t source) {
               return is_same_in_all_rounds(source, definitions, depth + 1);
           });
}

bool FunctionDecoder::may_be_own_place(std::uint32_t item, std::uint32_t other,
                                       const std::vector<std::uint32_t>& definitions) {
    const Item &one = items_[item], &two = items_[other];
    const auto address = [&](const Item& each) -> const ptx::Operand& {
        return each.written->operands[each.is(Effect::store) ? 0 : 1];
    };
    const std::uint32_t r = scopes_.find_register(one.scope, address(one).name).number;
    if (r == no_index || r != scopes_.find_register(two.scope, address(two).name).number ||
        address(one).offset != address(two).offset || one.modifiers.types != two.modifiers.types)
        return false;
    if (affine_.shapes.empty() || affine_.shapes[r] != Shape::affine || !affine_choice(one).run ||
        !affine_choice(two).run || !is_same_in_all_rounds(r, definitions, 0))
        return false;
    own_places_.resize(items_.size());
    own_places_[item] = own_places_[other] = true;
    return true;
}

bool FunctionDecoder::find_warp_order_of_global() {
    if (accesses_.size() > most_stores) return true;
    const std::vector<std::uint32_t> definitions = count_definitions();
    for (const OrderedAccess& store : accesses_) {
        if (!store.stores || store.space == ptx::Space::shared) continue;
        for (const OrderedAccess& other : accesses_)
            if (other.item != store.item && other.space != ptx::Space::shared && store.may_meet(other)) {
                const bool both_own = store.address.own_memory && store.address.roots == 0 &&
                                      other.address.own_memory && other.address.roots == 0;
                if (!both_own && !may_be_own_place(store.item, other.item, definitions)) return true;
            }
    }
    return false;
}

bool FunctionDecoder::find_warp_order() {
    if (checks_ && find_warp_order_of_global()) return true;
    std::vector<std::uint32_t> loads, stores;
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
        if (!may_be_shared(items_[i])) continue;
        if (items_[i].written->operands.size() < 2) return true;  // what is no instruction is refused elsewhere
        (items_[i].is(Effect::store) ? stores : loads).push_back(i);
    }
    if (loads.empty() || stores.empty()) return false;
    if (stores.size() > most_stores) return true;
    const std::vector<std::uint32_t> definitions = count_definitions();
    auto address = [&](std::uint32_t i) -> const ptx::Operand& {
        return items_[i].written->operands[items_[i].is(Effect::store) ? 0 : 1];
    };
    auto base = [&](std::uint32_t i) { return scopes_.find_register(items_[i].scope, address(i).name).number; };
    for (std::uint32_t store : stores) {
        const auto after = reached_without_barrier(store);
        const std::uint32_t r = base(store);
        for (std::uint32_t load : loads) {
            if (!after[load] || lie_apart(store, load)) continue;
            if (checks_ && may_be_own_place(store, load, definitions)) continue;
            // The thread's own place.
            if (!checks_ && base(load) == r && address(load).name == address(store).name &&
                address(load).offset == address(store).offset && (r == no_index || definitions[r] == 1))
                continue;
            return true;
        }
    }
    return false;
}

}  // namespace cudash::virtual_gpu
