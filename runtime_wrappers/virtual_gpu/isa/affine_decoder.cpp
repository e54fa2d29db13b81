// The part of the decoder that gives a kernel's instructions their affine forms.
#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

/// Longer functions would take too long to analyse.
constexpr std::size_t longest_function = 20000;

bool has_lanes(unsigned bytes) {
    return bytes == 4 || bytes == 8;
}

}  // namespace

std::optional<std::uint64_t> FunctionDecoder::constant_value(const Item& item, const ptx::Operand& operand) const {
    if (operand.kind == ptx::Operand::Kind::integer) return static_cast<std::uint64_t>(operand.integer);
    if (operand.kind != ptx::Operand::Kind::name || operand.name.empty() || is_special_register(operand.name))
        return {};
    auto place = scopes_.find_place(item.scope, operand.name);
    if (!place) place = surroundings_.find(operand.name);
    if (!place || place->in_frame || place->kernel_parameter) return {};
    return place->address + static_cast<std::uint64_t>(operand.offset);
}

Shape FunctionDecoder::affine_shape(const Item& item, const ptx::Operand& operand) const {
    const RegisterId id = scopes_.find_register(item.scope, operand.name);
    if (id.number == no_index) return constant_value(item, operand) ? Shape::uniform : Shape::lanes;
    const bool plain = operand.kind == ptx::Operand::Kind::name || operand.kind == ptx::Operand::Kind::address;
    return plain && !operand.negated ? affine_.shapes[id.number] : Shape::lanes;
}

AffineQuery FunctionDecoder::affine_query(const Item& item) const {
    const auto& operands = item.written->operands;
    AffineQuery query{*item.written, item.modifiers};
    auto bytes = [&](const ptx::Operand& operand) {
        const RegisterId id = scopes_.find_register(item.scope, operand.name);
        return operand.kind == ptx::Operand::Kind::name && id.number != no_index ? id.bytes : 0;
    };
    query.destination_bytes = bytes(operands[0]);
    if (operands.size() > 1) query.source_bytes = bytes(operands[1]);
    for (std::size_t i = 1; i < operands.size() && i < 4; ++i) query.sources[i - 1] = affine_shape(item, operands[i]);
    for (const ptx::Operand& operand : operands) {
        if (operand.kind != ptx::Operand::Kind::address || !operand.elements.empty()) continue;
        const RegisterId id = scopes_.find_register(item.scope, operand.name);
        if (id.number != no_index) {
            query.address = affine_shape(item, operand);
            query.wide_address = id.bytes == 8;
        } else if (!operand.name.empty()) {
            const auto place = scopes_.find_place(item.scope, operand.name);
            query.kernel_parameter = place && place->kernel_parameter;
            if (!place || !(place->in_frame || place->kernel_parameter)) query.address = Shape::uniform;
        }
    }
    return query;
}

AffineChoice FunctionDecoder::affine_choice(const Item& item) const {
    if (!item.affine) return {};
    const AffineChoice choice = item.affine(affine_query(item));
    if (!choice.run || choice.result == Shape::lanes) return choice;
    const std::uint32_t to = affine_target(item);
    return to != no_index && affine_.shapes[to] != Shape::lanes ? choice : AffineChoice{};
}

std::uint32_t FunctionDecoder::affine_target(const Item& item) const {
    if (!item.affine || item.is(Effect::store) || !item.written->guard.empty()) return no_index;
    const ptx::Operand& to = item.written->operands[0];
    const RegisterId id = scopes_.find_register(item.scope, to.name);
    return to.kind == ptx::Operand::Kind::name && has_lanes(id.bytes) ? id.number : no_index;
}

void FunctionDecoder::find_affine_registers() {
    const auto& bytes = scopes_.register_bytes();
    if (!function_.is_entry || items_.size() > longest_function) return;
    std::vector<bool> interrupted(blocks_.size());
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const Item& item = items_[i];
        if (item.written->call || item.is(Control::indexed_branch)) return;
        if (!item.row || item.row->klass == Class::collective || item.row->klass == Class::barrier)
            interrupted[block_of_[i]] = true;
    }
    affine_.shapes.assign(bytes.size(), Shape::unknown);
    affine_.local = block_local_registers(bytes.size(), uses_, blocks_, interrupted);
    // Lanes that are elsewhere must not show a check what they have not written.
    for (std::uint32_t r = 0; r < bytes.size(); ++r)
        if (is_checked(r)) affine_.local[r] = false;
    std::vector<std::uint32_t> definitions;
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
        Item& item = items_[i];
        item.affine = nullptr;
        if (item.dropped) continue;
        const bool written = item.kind == Item::Kind::plain || item.kind == Item::Kind::helper;
        if (written && item.row && !item.written->operands.empty()) item.affine = item.row->behavior.affine;
        if (affine_target(item) != no_index) {
            definitions.push_back(i);
        } else {
            for (std::uint32_t r : uses_[i].writes) affine_.shapes[r] = Shape::lanes;
        }
    }
    for (std::uint32_t r : always_live_) affine_.shapes[r] = Shape::lanes;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i : definitions) {
            Shape& shape = affine_.shapes[affine_target(items_[i])];
            if (shape == Shape::lanes) continue;
            const AffineChoice choice = affine_choice(items_[i]);
            const Shape made = choice.run ? choice.result : Shape::lanes;
            if (made <= shape) continue;
            shape = made;
            changed = true;
        }
    }
    for (Shape& shape : affine_.shapes)
        if (shape == Shape::unknown) shape = Shape::lanes;
    for (std::uint32_t r = 0; r < bytes.size(); ++r) affine_.count += affine_.is_affine(r);
    if (affine_.count > most_affine_registers) affine_.count = 0;
    if (affine_.count == 0) return;
    affine_.mirrored.resize(bytes.size());
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const bool has_form = static_cast<bool>(affine_choice(items_[i]).run);
        // A store's value is read lane by lane even when its address is affine.
        const bool store = has_form && items_[i].is(Effect::store);
        if (has_form && !store) continue;
        std::uint32_t address = no_index;
        if (store) address = scopes_.find_register(items_[i].scope, items_[i].written->operands[0].name).number;
        for (std::uint32_t r : uses_[i].reads)
            if (r != address) affine_.mirrored[r] = true;
        if (!store) continue;
        const RegisterId value = scopes_.find_register(items_[i].scope, items_[i].written->operands[1].name);
        if (value.number != no_index) affine_.mirrored[value.number] = true;
    }
    for (std::uint32_t r = 0; r < bytes.size(); ++r)
        if (affine_.is_affine(r)) always_live_.push_back(r);
}

void FunctionDecoder::place_affine_registers() {
    if (affine_.count == 0) return;
    const auto& bytes = scopes_.register_bytes();
    affine_places_.assign(bytes.size(), no_index);
    for (std::uint32_t r = 0; r < bytes.size(); ++r) {
        if (!affine_.is_affine(r)) continue;
        affine_places_[r] = places_.bytes;
        places_.bytes += affine_slot_bytes;
        code_->affine_registers.push_back({affine_places_[r], places_.offsets[r], bytes[r]});
        for (std::size_t c = 0; c < places_.cleared.size(); ++c)
            if (places_.cleared[c].first == places_.offsets[r]) {
                places_.cleared.emplace_back(affine_places_[r], affine_slot_bytes);
                break;
            }
    }
    places_.bytes = (places_.bytes + 63) / 64 * 64;
}

std::uint32_t FunctionDecoder::affine_constant(std::uint64_t value) {
    auto [entry, is_new] = affine_constants_.try_emplace(value, 0);
    if (!is_new) return entry->second;
    auto& image = code_->constants;
    entry->second = code_->constants_at + static_cast<std::uint32_t>(image.size());
    const std::size_t start = image.size();
    image.resize(start + 64);  // so that what follows stays aligned
    std::memcpy(&image[start], &value, sizeof value);
    return entry->second;
}

std::uint32_t FunctionDecoder::affine_place(const Item& item, const ptx::Operand& operand) {
    const RegisterId id = scopes_.find_register(item.scope, operand.name);
    if (id.number != no_index) return affine_places_[id.number];
    return affine_constant(constant_value(item, operand).value_or(0));
}

std::vector<std::uint32_t> FunctionDecoder::emit_affine(const std::vector<std::uint32_t>& item_of) {
    auto& instructions = code_->instructions;
    const auto count = static_cast<std::uint32_t>(instructions.size());
    instructions.reserve(2 * std::size_t{count} + 1);
    auto add = [&](std::uint32_t i) {
        instructions.push_back(instructions[i]);
        if (item_of[i] != no_index) make_affine(item_of[i], instructions.back());
        code_->plain_of.push_back(i);
    };
    auto steady = [&](std::uint32_t i) { return item_of[i] != no_index && is_steady(item_of[i]); };
    code_->steady_at = count;
    for (std::uint32_t i = 0; i < count; ++i)
        if (steady(i)) add(i);
    instructions.emplace_back().run = run_end_of_steady;
    code_->plain_of.push_back(0);

    code_->affine_at = static_cast<std::uint32_t>(instructions.size());
    std::vector<std::uint32_t> places(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        places[i] = static_cast<std::uint32_t>(instructions.size());
        if (!steady(i)) add(i);
    }
    // Lanes that come to what follows steady instructions of its block have those behind them.
    std::uint32_t counted_from = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool follows =
            i > 0 && steady(i - 1) && item_of[i] != no_index && block_of_[item_of[i - 1]] == block_of_[item_of[i]];
        if (!follows) counted_from = instructions[i].counted_from;
        if (!steady(i)) instructions[places[i]].counted_from = counted_from;
    }
    return places;
}

std::vector<std::uint32_t> FunctionDecoder::count_reads() const {
    std::vector<std::uint32_t> reads(scopes_.register_bytes().size());
    for (const RegisterUse& use : uses_)
        for (std::uint32_t r : use.reads) ++reads[r];
    return reads;
}

std::vector<std::uint32_t> FunctionDecoder::count_definitions() const {
    std::vector<std::uint32_t> definitions(scopes_.register_bytes().size());
    for (const RegisterUse& use : uses_)
        for (std::uint32_t r : use.writes) ++definitions[r];
    return definitions;
}

void FunctionDecoder::fuse_affine(const std::vector<std::uint32_t>& item_of, const std::vector<std::uint32_t>& places) {
    const std::vector<std::uint32_t> reads = count_reads();
    auto feeds_one = [&](std::uint32_t item) {
        const auto& writes = uses_[item].writes;
        return writes.size() == 1 && reads[writes[0]] == 1 && !is_checked(writes[0]);
    };
    for (std::uint32_t i = 0; i + fused_instructions <= item_of.size(); ++i) {
        const std::uint32_t first = item_of[i], second = item_of[i + 1], last = item_of[i + fused_instructions - 1];
        if (first == no_index || second != next_kept(first) || last != next_kept(second) ||
            block_of_[first] != block_of_[last])
            continue;
        if (places[i + fused_instructions - 1] != places[i] + fused_instructions - 1) continue;
        Instruction* affine = &code_->instructions[places[i]];
        const Handler fused = fused_multiply_add(affine);
        if (fused && feeds_one(first) && feeds_one(second)) affine->run = fused;
    }
}

void FunctionDecoder::make_affine(std::uint32_t index, Instruction& instruction) {
    const Item& item = items_[index];
    const AffineChoice choice = affine_choice(item);
    if (!choice.run || instruction.run == run_refused || instruction.inner == run_refused) return;
    const auto& operands = item.written->operands;
    const bool guarded = instruction.run == run_guarded;
    (guarded ? instruction.inner : instruction.run) = choice.run.warp;
    if (choice.result == Shape::lanes) instruction.count = !guarded;
    const auto address = std::find_if(operands.begin(), operands.end(), [](const ptx::Operand& operand) {
        return operand.kind == ptx::Operand::Kind::address;
    });
    if (address != operands.end()) {
        // A variable's address is in the instruction's offset.
        const RegisterId id = scopes_.find_register(item.scope, address->name);
        instruction.a = id.number != no_index ? affine_places_[id.number] : affine_constant(0);
        if (choice.result == Shape::lanes) return;
    } else {
        std::uint32_t* const sources[] = {&instruction.a, &instruction.b, &instruction.c};
        for (std::size_t i = 1; i < operands.size() && i < 4; ++i)
            if (affine_shape(item, operands[i]) != Shape::lanes) *sources[i - 1] = affine_place(item, operands[i]);
        if (choice.result == Shape::lanes) return;
        instruction.option = static_cast<std::uint16_t>(instruction.extra);
    }
    const std::uint32_t to = affine_target(item);
    instruction.d = affine_places_[to];
    instruction.extra = affine_.mirrored[to] ? places_.offsets[to] : no_index;
    instruction.count = !affine_.local[to];
}

}  // namespace cudash::virtual_gpu
