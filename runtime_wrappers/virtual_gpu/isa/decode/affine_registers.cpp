#include "runtime_wrappers/virtual_gpu/isa/decode/affine_registers.h"

#include <algorithm>

namespace cudash::virtual_gpu {
namespace {

/// Longer functions would take too long to analyse.
constexpr std::size_t longest_function = 20000;
/// Registers that may be affine have places of their own; kernels with more of them do without.
constexpr std::size_t most_affine_registers = 512;

bool has_lanes(unsigned bytes) {
    return bytes == 4 || bytes == 8;
}

bool can_be_affine(const FlowGraph& graph) {
    return graph.function->is_entry && graph.items.size() <= longest_function &&
           std::ranges::none_of(graph.items, [](const FlowItem& item) {
               return item.written->call || item.is(Control::indexed_branch);
           });
}

/// Registers whose values never leave the basic block that wrote them. Blocks in whose midst other lanes may run have
/// none.
std::vector<bool> block_local_registers(const FlowGraph& graph) {
    const auto& blocks = graph.blocks;
    const auto interrupts = [](const FlowItem& item) {
        return !item.row || item.row->instruction_class == Class::collective ||
               item.row->instruction_class == Class::barrier;
    };
    std::vector<bool> local(graph.registers(), true);
    std::vector<std::size_t> written_in(graph.registers(), blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const bool interrupted =
            std::any_of(graph.items.begin() + blocks[b].first, graph.items.begin() + blocks[b].last + 1, interrupts);
        for (std::uint32_t i = blocks[b].first; i <= blocks[b].last; ++i) {
            for (std::uint32_t r : graph.uses[i].reads)
                if (written_in[r] != b || interrupted) local[r] = false;
            for (std::uint32_t r : graph.uses[i].writes) {
                if (graph.uses[i].may_keep) local[r] = false;
                written_in[r] = b;
            }
        }
    }
    return local;
}

/// Goes up from `unknown` until no definition changes its register's shape.
void find_shapes(const FlowGraph& graph, AffineRegisters& affine) {
    affine.shapes.assign(graph.registers(), Shape::unknown);
    std::vector<std::uint32_t> definitions;
    for (std::uint32_t i = 0; i < graph.items.size(); ++i) {
        if (affine_target(graph, affine, i) != no_index) {
            definitions.push_back(i);
        } else {
            for (std::uint32_t r : graph.uses[i].writes) affine.shapes[r] = Shape::lanes;
        }
    }
    for (std::uint32_t r : graph.frame.registers) affine.shapes[r] = Shape::lanes;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i : definitions) {
            Shape& shape = affine.shapes[affine_target(graph, affine, i)];
            if (shape == Shape::lanes) continue;
            const AffineChoice choice = affine_choice(graph, affine, i);
            const Shape made = choice.run ? choice.result : Shape::lanes;
            if (made <= shape) continue;
            shape = made;
            changed = true;
        }
    }
    std::ranges::replace(affine.shapes, Shape::unknown, Shape::lanes);
}

std::vector<bool> find_mirrored(const FlowGraph& graph, const AffineRegisters& affine) {
    std::vector<bool> mirrored(graph.registers());
    for (std::uint32_t i = 0; i < graph.items.size(); ++i) {
        const FlowItem& item = graph.items[i];
        const bool has_form = static_cast<bool>(affine_choice(graph, affine, i).run);
        // A store's value is read lane by lane even when its address is affine.
        const bool store = has_form && item.is(Effect::store);
        if (has_form && !store) continue;
        std::uint32_t address = no_index;
        if (store) address = graph.register_of(item, item.written->operands[0]).number;
        for (std::uint32_t r : graph.uses[i].reads)
            if (r != address) mirrored[r] = true;
        if (!store) continue;
        const RegisterId value = graph.register_of(item, item.written->operands[1]);
        if (value.number != no_index) mirrored[value.number] = true;
    }
    return mirrored;
}

AffineQuery affine_query(const FlowGraph& graph, const AffineRegisters& affine, const FlowItem& item) {
    const auto& operands = item.written->operands;
    AffineQuery query{*item.written, item.modifiers};
    auto bytes = [&](const ptx::Operand& operand) {
        const RegisterId id = graph.register_of(item, operand);
        return operand.kind == ptx::Operand::Kind::name && id.number != no_index ? id.bytes : 0;
    };
    query.destination_bytes = bytes(operands[0]);
    if (operands.size() > 1) query.source_bytes = bytes(operands[1]);
    for (std::size_t i = 1; i < operands.size() && i < 4; ++i)
        query.sources[i - 1] = affine_shape(graph, affine, item, operands[i]);
    for (const ptx::Operand& operand : operands) {
        if (operand.kind != ptx::Operand::Kind::address || !operand.elements.empty()) continue;
        const RegisterId id = graph.register_of(item, operand);
        if (id.number != no_index) {
            query.address = affine_shape(graph, affine, item, operand);
            query.wide_address = id.bytes == 8;
        } else if (!operand.name.empty()) {
            const auto place = graph.scopes.find_place(item.scope, operand.name);
            query.kernel_parameter = place && place->kernel_parameter;
            if (!place || !(place->in_frame || place->kernel_parameter)) query.address = Shape::uniform;
        }
    }
    return query;
}

}  // namespace

std::optional<std::uint64_t> constant_value(const FlowGraph& graph, const FlowItem& item, const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::integer) return static_cast<std::uint64_t>(operand.integer);
    if (operand.kind != ptx::Operand::Kind::name || operand.name.empty() || is_special_register(operand.name))
        return {};
    const auto place = graph.place_of(item, operand.name);
    if (!place || place->in_frame || place->kernel_parameter) return {};
    return place->address + static_cast<std::uint64_t>(operand.offset);
}

Shape affine_shape(const FlowGraph& graph, const AffineRegisters& affine, const FlowItem& item,
                   const ptx::Operand& operand) {
    const RegisterId id = graph.register_of(item, operand);
    if (id.number == no_index) return constant_value(graph, item, operand) ? Shape::uniform : Shape::lanes;
    const bool plain = operand.kind == ptx::Operand::Kind::name || operand.kind == ptx::Operand::Kind::address;
    return plain && !operand.negated ? affine.shapes[id.number] : Shape::lanes;
}

AffineChoice affine_choice(const FlowGraph& graph, const AffineRegisters& affine, std::uint32_t item) {
    if (affine.rules.empty() || !affine.rules[item]) return {};
    const AffineChoice choice = affine.rules[item](affine_query(graph, affine, graph.items[item]));
    if (!choice.run || choice.result == Shape::lanes) return choice;
    const std::uint32_t to = affine_target(graph, affine, item);
    return to != no_index && affine.shapes[to] != Shape::lanes ? choice : AffineChoice{};
}

std::uint32_t affine_target(const FlowGraph& graph, const AffineRegisters& affine, std::uint32_t index) {
    const FlowItem& item = graph.items[index];
    if (affine.rules.empty() || !affine.rules[index] || item.is(Effect::store) || !item.written->guard.empty())
        return no_index;
    const ptx::Operand& to = item.written->operands[0];
    const RegisterId id = graph.register_of(item, to);
    return to.kind == ptx::Operand::Kind::name && has_lanes(id.bytes) ? id.number : no_index;
}

AffineRegisters find_affine_registers(const FlowGraph& graph) {
    AffineRegisters affine;
    if (!can_be_affine(graph)) return affine;
    for (const FlowItem& item : graph.items) {
        const bool written = item.kind == FlowItem::Kind::plain || item.kind == FlowItem::Kind::helper;
        const bool has_rule = written && item.row && !item.written->operands.empty();
        affine.rules.push_back(has_rule ? item.row->behavior.affine : nullptr);
    }
    affine.local = block_local_registers(graph);
    // Lanes that are elsewhere must not show a check what they have not written.
    for (std::uint32_t r = 0; r < graph.registers(); ++r)
        if (graph.is_checked(r)) affine.local[r] = false;
    find_shapes(graph, affine);
    for (std::uint32_t r = 0; r < graph.registers(); ++r) affine.count += affine.is_affine(r);
    if (affine.count > most_affine_registers) affine.count = 0;
    if (affine.count != 0) affine.mirrored = find_mirrored(graph, affine);
    return affine;
}

std::vector<std::uint32_t> place_affine_registers(const FlowGraph& graph, const AffineRegisters& affine,
                                                  RegisterPlaces& places, Code& code) {
    const auto& bytes = graph.scopes.register_bytes();
    std::vector<std::uint32_t> slots(bytes.size(), no_index);
    for (std::uint32_t r = 0; r < bytes.size(); ++r) {
        if (!affine.is_affine(r)) continue;
        slots[r] = places.bytes;
        places.bytes += affine_slot_bytes;
        code.affine_registers.push_back({slots[r], places.offsets[r], bytes[r]});
        const bool cleared =
            std::ranges::any_of(places.cleared, [&](const auto& each) { return each.first == places.offsets[r]; });
        if (cleared) places.cleared.emplace_back(slots[r], affine_slot_bytes);
    }
    places.bytes = (places.bytes + 63) / 64 * 64;
    return slots;
}

}  // namespace cudash::virtual_gpu
