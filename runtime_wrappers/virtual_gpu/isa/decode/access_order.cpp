#include "runtime_wrappers/virtual_gpu/isa/decode/access_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace cudash::virtual_gpu {

bool Provenance::join(const Provenance& other) {
    const Provenance before = *this;
    roots |= other.roots;
    block_index |= other.block_index;
    thread_index |= other.thread_index;
    loaded |= other.loaded;
    own_memory |= other.own_memory;
    return *this != before;
}

bool OrderedAccess::may_meet(const OrderedAccess& other) const {
    const auto is_private = [](ptx::Space s) {
        return s != ptx::Space::none && s != ptx::Space::global && s != ptx::Space::shared;
    };
    if (is_private(space) || is_private(other.space)) return false;
    const auto shared = [](const OrderedAccess& access) {
        return access.space == ptx::Space::shared || (access.address.own_memory && access.address.roots == 0);
    };
    if (shared(*this) || shared(other)) return shared(*this) && shared(other);
    return address.roots == 0 || other.address.roots == 0 || (address.roots & other.address.roots) != 0;
}

namespace {

bool is_product(Meaning meaning) {
    return meaning == Meaning::product || meaning == Meaning::product_sum || meaning == Meaning::product_of_24_bits;
}

/// Where the values of registers come from.
class Origins {
public:
    explicit Origins(const FlowGraph& graph) : graph_(graph), registers_(graph.registers()) {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < graph_.items.size(); ++i) {
                if (graph_.uses[i].writes.empty()) continue;
                const Provenance made = result(graph_.items[i]);
                for (std::uint32_t r : graph_.uses[i].writes) changed |= registers_[r].join(made);
            }
        }
    }

    Provenance of(const FlowItem& item, const ptx::Operand& operand) {
        Provenance from;
        join_names(item, operand, from);
        return from;
    }
    const std::map<std::string, std::uint64_t>& roots() const { return roots_; }

    /// Something loaded decides whether the item's instruction is executed, what comes behind it, or what it accesses.
    bool follows_data(const FlowItem& item) const {
        const ptx::Instruction& written = *item.written;
        if (is_loaded(item, written.guard) || (written.call && is_loaded(item, written.call->callee.name))) return true;
        const bool steers = item.is(Class::control) || item.is(Class::barrier);
        return std::ranges::any_of(written.operands, [&](const ptx::Operand& operand) {
            return (steers || operand.kind == ptx::Operand::Kind::address) && has_loaded(item, operand);
        });
    }

private:
    bool is_loaded(const FlowItem& item, const std::string& name) const {
        const RegisterId id = graph_.scopes.find_register(item.scope, name);
        return id.number != no_index && registers_[id.number].loaded;
    }
    bool has_loaded(const FlowItem& item, const ptx::Operand& operand) const {
        return is_loaded(item, operand.name) ||
               std::ranges::any_of(operand.elements, [&](const auto& each) { return has_loaded(item, each); });
    }

    /// The bit of a parameter or variable; names beyond 63 share one.
    std::uint64_t root(const std::string& name) {
        auto [entry, is_new] = roots_.try_emplace(name, 0);
        if (is_new) entry->second = std::uint64_t{1} << std::min<std::size_t>(roots_.size() - 1, 63);
        return entry->second;
    }

    /// What an operand's names contribute.
    void join_names(const FlowItem& item, const ptx::Operand& operand, Provenance& into) {
        for (const ptx::Operand& element : operand.elements) join_names(item, element, into);
        if (operand.name.empty()) return;
        if (operand.name.starts_with("%ctaid") || operand.name.starts_with("%clusterid")) into.block_index = true;
        if (operand.name.starts_with("%tid") || operand.name == "%laneid") into.thread_index = true;
        const RegisterId id = graph_.register_of(item, operand);
        if (id.number != no_index) {
            into.join(registers_[id.number]);
        } else if (auto place = graph_.place_of(item, operand.name)) {
            const bool own = place->in_frame || place->space == ptx::Space::shared || place->space == ptx::Space::local;
            if (own) into.own_memory = true;
            // A parameter narrower than an address is none.
            const bool number = place->kernel_parameter && place->size < 8;
            if (!own && !number && place->space != ptx::Space::none) into.roots |= root(operand.name);
        }
    }

    Provenance result(const FlowItem& item) {
        Provenance made;
        const auto& operands = item.written->operands;
        if (item.is(Effect::load) && item.space() == ptx::Space::param && graph_.function->is_entry) {
            if (operands.size() > 1) join_names(item, operands[1], made);
            made.loaded |= made.own_memory;  // the result of a call
            made.own_memory = false;
        } else if (item.is(Class::memory) || item.is(Effect::tile_load) || item.is(Effect::fragment) ||
                   item.written->call) {
            made.loaded = true;
        } else {
            const unsigned targets = item.row ? shape_of(item.row->form).written : 0;
            // What is multiplied is not an address: a size_t that counts elements is not what an access goes through.
            const bool multiplies = item.row && is_product(item.row->behavior.meaning);
            for (std::size_t o = targets; o < operands.size(); ++o) {
                Provenance from = of(item, operands[o]);
                if (multiplies && o < targets + 2) from.roots = 0;
                made.join(from);
            }
        }
        return made;
    }

    const FlowGraph& graph_;
    std::vector<Provenance> registers_;
    std::map<std::string, std::uint64_t> roots_;
};

/// Whether the order of blocks shows in global memory.
class BlockOrder {
public:
    void add(const OrderedAccess& access) {
        if (access.stores) {
            add_store(access.address, {access.base, access.offset});
        } else {
            add_load(access.address, {access.base, access.offset});
        }
    }

    bool shows() const {
        if (shared_places_) return true;
        return std::any_of(loads_.begin(), loads_.end(), [&](const auto& load) {
            return (load.second & stored_) != 0 && !store_places_.contains(load.first);
        });
    }
    std::uint64_t stored_roots() const { return stored_; }
    std::uint64_t loaded_roots() const { return loaded_; }

private:
    struct Place {
        std::uint32_t base;
        std::int64_t offset;
        auto operator<=>(const Place&) const = default;
    };

    void add_store(const Provenance& address, Place place) {
        if (address.own_memory && address.roots == 0 && !address.loaded) return;
        shared_places_ |= !address.block_index || address.loaded || address.roots == 0;
        store_places_.insert(place);
        stored_ |= address.roots;
    }
    void add_load(const Provenance& address, Place place) {
        const bool own = address.own_memory && !address.loaded;
        // An address of unknown origin may be anything that is stored to.
        loads_.push_back({place, address.roots == 0 && !own ? ~std::uint64_t{0} : address.roots});
        loaded_ |= address.roots;
    }

    std::set<Place> store_places_;
    std::vector<std::pair<Place, std::uint64_t>> loads_;
    std::uint64_t stored_ = 0, loaded_ = 0;
    bool shared_places_ = false;  ///< a store that several blocks may do at one place
};

}  // namespace

AccessOrder find_access_order(const FlowGraph& graph) {
    AccessOrder found;
    Origins origins(graph);
    BlockOrder blocks;
    for (std::uint32_t i = 0; i < graph.items.size(); ++i) {
        const FlowItem& item = graph.items[i];
        const auto& operands = item.written->operands;
        const bool stores = item.is(Effect::store) || (item.is(Effect::fragment) && item.modifiers.set.has(Mod::store));
        if ((!stores && !item.is(Effect::load)) || item.kind == FlowItem::Kind::skip || operands.size() < 2) continue;
        const ptx::Operand& address = operands[stores ? 0 : 1];
        found.accesses.push_back({i, stores, item.space(), origins.of(item, address),
                                  graph.register_of(item, address).number, address.offset});
        const bool may_be_global = item.modifiers.spaces.empty() || item.space() == ptx::Space::global;
        if (may_be_global) blocks.add(found.accesses.back());
    }
    found.of_blocks = blocks.shows();
    found.counts_follow_data =
        std::ranges::any_of(graph.items, [&](const FlowItem& item) { return origins.follows_data(item); });
    if (!graph.function->is_entry) return found;
    for (const auto& [name, bit] : origins.roots()) {
        auto place = graph.scopes.find_place(0, name);
        if (place && place->kernel_parameter && place->size == 8)
            found.pointers.push_back({static_cast<std::uint32_t>(place->address), (blocks.stored_roots() & bit) != 0,
                                      (blocks.loaded_roots() & bit) != 0});
    }
    return found;
}

}  // namespace cudash::virtual_gpu
