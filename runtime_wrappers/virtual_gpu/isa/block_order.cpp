#include "runtime_wrappers/virtual_gpu/isa/block_order.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"

namespace cudash::virtual_gpu {

bool Provenance::join(const Provenance& other) {
    const Provenance before = *this;
    roots |= other.roots;
    block_index |= other.block_index;
    thread_index |= other.thread_index;
    loaded |= other.loaded;
    own_memory |= other.own_memory;
    return roots != before.roots || block_index != before.block_index || thread_index != before.thread_index ||
           loaded != before.loaded || own_memory != before.own_memory;
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

std::uint64_t OrderOfBlocks::root(const std::string& name) {
    auto [entry, is_new] = roots_.try_emplace(name, 0);
    if (is_new) entry->second = std::uint64_t{1} << std::min<std::size_t>(roots_.size() - 1, 63);
    return entry->second;
}

void OrderOfBlocks::add_store(const Provenance& address, std::uint32_t base, std::int64_t offset) {
    if (address.own_memory && address.roots == 0 && !address.loaded) return;
    shared_places_ |= !address.block_index || address.loaded || address.roots == 0;
    store_places_.insert({base, offset});
    stored_ |= address.roots;
}

void OrderOfBlocks::add_load(const Provenance& address, std::uint32_t base, std::int64_t offset) {
    const bool own = address.own_memory && !address.loaded;
    // An address of unknown origin may be anything that is stored to.
    loads_.push_back({{base, offset}, address.roots == 0 && !own ? ~std::uint64_t{0} : address.roots});
    loaded_ |= address.roots;
}

bool OrderOfBlocks::order_shows() const {
    if (shared_places_) return true;
    return std::any_of(loads_.begin(), loads_.end(), [&](const auto& load) {
        return (load.second & stored_) != 0 && !store_places_.contains(load.first);
    });
}

namespace {

bool is_product(Meaning meaning) {
    return meaning == Meaning::product || meaning == Meaning::product_sum || meaning == Meaning::product_of_24_bits;
}

bool may_be_global(const ParsedModifiers& modifiers) {
    return modifiers.spaces.empty() || modifiers.spaces.front() == ptx::Space::global;
}

}  // namespace

void FunctionDecoder::find_block_order() {
    OrderOfBlocks order(scopes_.register_bytes().size());
    auto place_of = [&](const Item& item, const std::string& name) {
        auto place = scopes_.find_place(item.scope, name);
        return place ? place : surroundings_.find(name);
    };
    // What an operand's names contribute.
    auto join_names = [&](const Item& item, const ptx::Operand& operand, Provenance& into, auto& self) -> void {
        for (const ptx::Operand& element : operand.elements) self(item, element, into, self);
        if (operand.name.empty()) return;
        if (operand.name.starts_with("%ctaid") || operand.name.starts_with("%clusterid")) into.block_index = true;
        if (operand.name.starts_with("%tid") || operand.name == "%laneid") into.thread_index = true;
        const RegisterId id = scopes_.find_register(item.scope, operand.name);
        if (id.number != no_index) {
            into.join(order.of(id.number));
        } else if (auto place = place_of(item, operand.name)) {
            const bool own = place->in_frame || place->space == ptx::Space::shared || place->space == ptx::Space::local;
            if (own) into.own_memory = true;
            // A parameter narrower than an address is none.
            const bool number = place->kernel_parameter && place->size < 8;
            if (!own && !number && place->space != ptx::Space::none) into.roots |= order.root(operand.name);
        }
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const Item& item = items_[i];
            if (uses_[i].writes.empty()) continue;
            const ptx::Instruction& written = *item.written;
            Provenance made;
            const bool loads = item.is(Effect::load);
            const bool parameter =
                loads && !item.modifiers.spaces.empty() && item.modifiers.spaces.front() == ptx::Space::param;
            if (parameter && function_.is_entry) {
                if (written.operands.size() > 1) join_names(item, written.operands[1], made, join_names);
                made.loaded |= made.own_memory;  // the result of a call
                made.own_memory = false;
            } else if (item.is(Class::memory) || written.call) {
                made.loaded = true;
            } else {
                const unsigned targets = item.row ? shape_of(item.row->form).written : 0;
                // What is multiplied is no address: a size_t that counts elements is not what an access goes through.
                const bool multiplies = item.row && is_product(item.row->behavior.meaning);
                for (std::size_t o = targets; o < written.operands.size(); ++o) {
                    Provenance from;
                    join_names(item, written.operands[o], from, join_names);
                    if (multiplies && o < targets + 2) from.roots = 0;
                    made.join(from);
                }
            }
            for (std::uint32_t r : uses_[i].writes) changed |= order.of(r).join(made);
        }
    }
    for (const Item& item : items_) {
        const ptx::Instruction& written = *item.written;
        const bool stores = item.is(Effect::store) || (item.is(Effect::fragment) && item.modifiers.set.has(Mod::store));
        const bool loads = item.is(Effect::load);
        if ((!stores && !loads) || item.kind == Item::Kind::skip) continue;
        if (written.operands.size() < 2) continue;
        const ptx::Operand& address = written.operands[stores ? 0 : 1];
        Provenance from;
        join_names(item, address, from, join_names);
        const std::uint32_t base = scopes_.find_register(item.scope, address.name).number;
        const ptx::Space space = item.modifiers.spaces.empty() ? ptx::Space::none : item.modifiers.spaces.front();
        accesses_.push_back(
            {static_cast<std::uint32_t>(&item - items_.data()), stores, space, from, base, address.offset});
        if (!may_be_global(item.modifiers)) continue;
        if (stores) order.add_store(from, base, address.offset);
        if (loads) order.add_load(from, base, address.offset);
    }
    Program& program = surroundings_.program();
    if (order.order_shows()) program.ordered = true;
    if (!function_.is_entry) return;
    for (const auto& [name, bit] : order.roots()) {
        auto place = scopes_.find_place(0, name);
        if (place && place->kernel_parameter && place->size == 8)
            program.pointers.push_back({static_cast<std::uint32_t>(place->address), (order.stored_roots() & bit) != 0,
                                        (order.loaded_roots() & bit) != 0});
    }
}

}  // namespace cudash::virtual_gpu
