// Whether the order of a block's warps shows in shared memory. A kernel that lacks a barrier is to go wrong as it would
// on a GPU, whose warps are not in lockstep: one that stores what others load, with no barrier between, runs warp by
// warp. A store that needs what was loaded before, as in `s[t] = s[t + 1]`, is another thing: the load takes so long
// that all warps have loaded when the first one stores (recorded on an H200). That is what lockstep gives too;
// turns.cpp has it for warps that are not in lockstep.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/decode/access_order.h"

namespace cudash::virtual_gpu {
namespace {

/// With more stores it would take too long to look at the ways between them and all loads.
constexpr std::size_t most_stores = 64;

bool may_be_shared(const FlowItem& item) {
    return item.is(Class::memory) && (item.modifiers.spaces.empty() || item.space() == ptx::Space::shared);
}

/// Generic addresses, as debug code has them: one of the block's own memory, and one that comes from a parameter.
bool lie_apart(const AccessOrder& order, std::uint32_t item, std::uint32_t other) {
    const auto& accesses = order.accesses;
    const auto one = std::ranges::find(accesses, item, &OrderedAccess::item);
    const auto two = std::ranges::find(accesses, other, &OrderedAccess::item);
    if (one == accesses.end() || two == accesses.end()) return false;
    const auto is_own = [](const Provenance& from) { return from.own_memory && from.roots == 0 && !from.loaded; };
    const auto is_global = [](const Provenance& from) { return !from.own_memory && from.roots != 0 && !from.loaded; };
    return (is_own(one->address) && is_global(two->address)) || (is_global(one->address) && is_own(two->address));
}

}  // namespace

bool shows_in_global_memory(const AccessOrder& order) {
    if (order.accesses.size() > most_stores) return true;
    for (const OrderedAccess& store : order.accesses) {
        if (!store.stores || store.space == ptx::Space::shared) continue;
        for (const OrderedAccess& other : order.accesses)
            if (other.item != store.item && other.space != ptx::Space::shared && store.may_meet(other)) {
                const bool both_own = store.address.own_memory && store.address.roots == 0 &&
                                      other.address.own_memory && other.address.roots == 0;
                if (!both_own) return true;
            }
    }
    return false;
}

bool warp_order_shows(const FlowGraph& graph, const AccessOrder& order) {
    if (graph.unstopped && shows_in_global_memory(order)) return true;
    const auto& items = graph.items;
    std::vector<std::uint32_t> loads, stores;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
        if (!may_be_shared(items[i])) continue;
        if (items[i].written->operands.size() < 2) return true;  // what is not an instruction is refused elsewhere
        (items[i].is(Effect::store) ? stores : loads).push_back(i);
    }
    if (loads.empty() || stores.empty()) return false;
    if (stores.size() > most_stores) return true;
    const std::vector<std::uint32_t> definitions = graph.count_definitions();
    auto address = [&](std::uint32_t i) -> const ptx::Operand& {
        return items[i].written->operands[items[i].is(Effect::store) ? 0 : 1];
    };
    auto base = [&](std::uint32_t i) { return graph.register_of(items[i], address(i)).number; };
    for (std::uint32_t store : stores) {
        const auto after = graph.reached_without_barrier(store);
        const std::uint32_t r = base(store);
        for (std::uint32_t load : loads) {
            if (!after[load] || lie_apart(order, store, load)) continue;
            // The thread's own place.
            if (base(load) == r && address(load).name == address(store).name &&
                address(load).offset == address(store).offset && (r == no_index || definitions[r] == 1))
                continue;
            return true;
        }
    }
    return false;
}

}  // namespace cudash::virtual_gpu
