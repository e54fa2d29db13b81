// A kernel's instructions in their affine forms.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/decode/emission.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

std::uint32_t affine_place(Emission& emission, const FlowItem& item, const ptx::Operand& operand) {
    const RegisterId id = emission.graph.register_of(item, operand);
    if (id.number != no_index) return emission.affine.places[id.number];
    return emission.affine_constant(constant_value(emission.graph, item, operand).value_or(0));
}

/// Changes `instruction`, the item's plain form, to its affine form if it has one.
void make_affine(Emission& emission, std::uint32_t index, Instruction& instruction) {
    const FlowGraph& graph = emission.graph;
    const AffineRegisters& affine = emission.affine;
    const FlowItem& item = graph.items[index];
    const AffineChoice choice = affine_choice(graph, affine, index);
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
        const RegisterId id = graph.register_of(item, *address);
        instruction.a = id.number != no_index ? affine.places[id.number] : emission.affine_constant(0);
        if (choice.result == Shape::lanes) return;
    } else {
        std::uint32_t* const sources[] = {&instruction.a, &instruction.b, &instruction.c};
        for (std::size_t i = 1; i < operands.size() && i < 4; ++i)
            if (affine_shape(graph, affine, item, operands[i]) != Shape::lanes)
                *sources[i - 1] = affine_place(emission, item, operands[i]);
        if (choice.result == Shape::lanes) return;
        instruction.option = static_cast<std::uint16_t>(instruction.extra);
    }
    const std::uint32_t to = affine_target(graph, affine, index);
    instruction.d = affine.places[to];
    instruction.extra = affine.mirrored[to] ? emission.places.offsets[to] : no_index;
    instruction.count = !affine.local[to];
}

}  // namespace

FormPlaces emit_affine(Emission& emission) {
    const FlowGraph& graph = emission.graph;
    const auto& item_of = emission.item_of;
    Code& code = emission.code;
    auto& instructions = code.instructions;
    const auto count = static_cast<std::uint32_t>(instructions.size());
    instructions.reserve(2 * std::size_t{count} + 1);
    auto add = [&](std::uint32_t i) {
        instructions.push_back(instructions[i]);
        if (item_of[i] != no_index) make_affine(emission, item_of[i], instructions.back());
        code.plain_of.push_back(i);
    };
    auto steady = [&](std::uint32_t i) {
        return item_of[i] != no_index && is_steady(graph, emission.affine, item_of[i]);
    };
    code.steady_at = count;
    for (std::uint32_t i = 0; i < count; ++i)
        if (steady(i)) add(i);
    instructions.emplace_back().run = run_end_of_steady;
    code.plain_of.push_back(0);

    code.affine_at = static_cast<std::uint32_t>(instructions.size());
    FormPlaces places(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        places[i] = static_cast<std::uint32_t>(instructions.size());
        if (!steady(i)) add(i);
    }
    // Lanes that come to what follows steady instructions of its block have those behind them.
    std::uint32_t counted_from = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        // A helper of ours, a check for example, stands before the next item of the block.
        const bool follows = i > 0 && steady(i - 1) &&
                             (item_of[i] == no_index ? instructions[i].run != run_join
                                                     : graph.block_of[item_of[i - 1]] == graph.block_of[item_of[i]]);
        if (!follows) counted_from = instructions[i].ordinal;
        if (!steady(i)) instructions[places[i]].counted_from = counted_from;
    }
    return places;
}

void fuse_affine(Emission& emission, const FormPlaces& places) {
    const FlowGraph& graph = emission.graph;
    const auto& item_of = emission.item_of;
    const std::vector<std::uint32_t> reads = graph.count_reads();
    auto feeds_one = [&](std::uint32_t item) {
        const auto& writes = graph.uses[item].writes;
        return writes.size() == 1 && reads[writes[0]] == 1 && !graph.is_checked(writes[0]);
    };
    for (std::uint32_t i = 0; i + fused_instructions <= item_of.size(); ++i) {
        const std::uint32_t first = item_of[i], second = item_of[i + 1], last = item_of[i + fused_instructions - 1];
        if (first == no_index || second != first + 1 || last != second + 1 ||
            graph.block_of[first] != graph.block_of[last])
            continue;
        if (places[i + fused_instructions - 1] != places[i] + fused_instructions - 1) continue;
        Instruction* affine = &emission.code.instructions[places[i]];
        const Handler fused = fused_multiply_add(affine);
        if (fused && feeds_one(first) && feeds_one(second)) affine->run = fused;
    }
}

}  // namespace cudash::virtual_gpu
