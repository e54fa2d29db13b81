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

class Search {
public:
    Search(const FlowGraph& graph, const AccessOrder& order, const AffineRegisters& affine)
        : graph_(graph), order_(order), affine_(affine), definitions_(graph.count_definitions()) {}

    /// In memory that all blocks share.
    bool shows_in_global_memory() {
        if (order_.accesses.size() > most_stores) return true;
        for (const OrderedAccess& store : order_.accesses) {
            if (!store.stores || store.space == ptx::Space::shared) continue;
            for (const OrderedAccess& other : order_.accesses)
                if (other.item != store.item && other.space != ptx::Space::shared && store.may_meet(other)) {
                    const bool both_own = store.address.own_memory && store.address.roots == 0 &&
                                          other.address.own_memory && other.address.roots == 0;
                    if (!both_own && !may_be_own_place(store.item, other.item)) return true;
                }
        }
        return false;
    }

    bool shows_in_shared_memory() {
        std::vector<std::uint32_t> loads, stores;
        for (std::uint32_t i = 0; i < graph_.items.size(); ++i) {
            const FlowItem& item = graph_.items[i];
            if (!may_be_shared(item)) continue;
            if (item.written->operands.size() < 2) return true;  // what is not an instruction is refused elsewhere
            (item.is(Effect::store) ? stores : loads).push_back(i);
        }
        if (loads.empty() || stores.empty()) return false;
        if (stores.size() > most_stores) return true;
        for (const std::uint32_t store : stores) {
            const auto after = graph_.reached_without_barrier(store);
            for (const std::uint32_t load : loads) {
                if (!after[load] || lie_apart(order_, store, load)) continue;
                const bool own = graph_.unstopped ? may_be_own_place(store, load) : is_own_place(store, load);
                if (!own) return true;
            }
        }
        return false;
    }

    std::vector<bool> own_places() && { return std::move(own_places_); }

private:
    const ptx::Operand& address(std::uint32_t item) const {
        const FlowItem& each = graph_.items[item];
        return each.written->operands[each.is(Effect::store) ? 0 : 1];
    }
    std::uint32_t base(std::uint32_t item) const {
        return graph_.register_of(graph_.items[item], address(item)).number;
    }

    /// The thread's own place.
    bool is_own_place(std::uint32_t store, std::uint32_t load) const {
        const std::uint32_t r = base(store);
        return base(load) == r && address(load).name == address(store).name &&
               address(load).offset == address(store).offset && (r == no_index || definitions_[r] == 1);
    }

    /// A thread comes to the same place by both, whenever it does, and each thread may have one of its own.
    bool may_be_own_place(std::uint32_t item, std::uint32_t other) {
        const std::uint32_t r = base(item);
        if (r == no_index || r != base(other) || address(item).offset != address(other).offset ||
            graph_.items[item].modifiers.types != graph_.items[other].modifiers.types)
            return false;
        if (affine_.shapes.empty() || affine_.shapes[r] != Shape::affine || !affine_choice(graph_, affine_, item).run ||
            !affine_choice(graph_, affine_, other).run || !is_same_in_all_rounds(r, 0))
            return false;
        own_places_.resize(graph_.items.size());
        own_places_[item] = own_places_[other] = true;
        return true;
    }

    bool is_same_in_all_rounds(std::uint32_t r, unsigned depth) const {
        constexpr unsigned deepest = 16;
        if (definitions_[r] != 1 || depth == deepest) return false;
        const auto found = std::ranges::find_if(
            graph_.uses, [&](const RegisterUse& use) { return std::ranges::find(use.writes, r) != use.writes.end(); });
        if (found->may_keep) return false;
        const auto item = static_cast<std::uint32_t>(found - graph_.uses.begin());
        if (!graph_.is_in_loop(item)) return true;
        return graph_.items[item].is(Class::arithmetic) && std::ranges::all_of(found->reads, [&](std::uint32_t source) {
                   return is_same_in_all_rounds(source, depth + 1);
               });
    }

    const FlowGraph& graph_;
    const AccessOrder& order_;
    const AffineRegisters& affine_;
    const std::vector<std::uint32_t> definitions_;
    std::vector<bool> own_places_;
};

}  // namespace

WarpOrder find_warp_order(const FlowGraph& graph, const AccessOrder& order, const AffineRegisters& affine) {
    Search search(graph, order, affine);
    if (graph.unstopped && search.shows_in_global_memory()) return {true, {}};
    if (search.shows_in_shared_memory()) return {true, {}};
    return {false, std::move(search).own_places()};
}

}  // namespace cudash::virtual_gpu
