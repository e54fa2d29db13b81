// A kernel's affine instructions in their forms for all warps of a block in lockstep (exec/lockstep.h). A kernel has
// them if its instructions only compute, access memory, branch, exit and wait at whole barriers: what depends on a
// warp's own pace (clocks, atomics, ordered accesses, votes) is left to the warps.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/decode/emission.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

bool is_ordered(const ParsedModifiers& modifiers) {
    for (Mod mod : {Mod::volatile_, Mod::relaxed, Mod::acquire, Mod::release, Mod::mmio})
        if (modifiers.set.has(mod)) return true;
    return false;
}

bool has_lockstep_form(const FlowItem& item) {
    const ptx::Instruction& written = *item.written;
    if (item.kind == FlowItem::Kind::end) return true;
    if (!item.row || item.kind == FlowItem::Kind::skip || item.kind == FlowItem::Kind::unguarded) return false;
    for (const ptx::Operand& operand : written.operands)
        if (operand.kind == ptx::Operand::Kind::name && differs_between_warps(operand.name)) return false;
    switch (item.row->behavior.lockstep) {
        case LockstepForm::of_class:
            return item.is(Class::arithmetic) || item.is(Class::hint);
        case LockstepForm::none:
            return false;
        case LockstepForm::plain_access:
            return !is_ordered(item.modifiers);
        case LockstepForm::together:
            return true;  // if the form that is written has one: make_lockstep
    }
    return false;
}

/// The branch leads over instructions that some lanes can run while the others wait behind them.
bool is_simple_if(const FlowGraph& graph, const AffineRegisters& affine, std::uint32_t branch) {
    const FlowItem& item = graph.items[branch];
    if (item.flow != FlowItem::Flow::branch || !item.is(Control::branch) || item.targets.size() != 1) return false;
    const std::uint32_t target = item.targets.front(), rejoin = graph.post_dominators[graph.block_of[branch]];
    if (target <= branch || rejoin == function_end || graph.blocks[rejoin].first != target) return false;
    for (std::uint32_t i = branch + 1; i < target; ++i) {
        const FlowItem& inside = graph.items[i];
        if (inside.flow != FlowItem::Flow::none || inside.row->instruction_class == Class::barrier) return false;
        // The lanes that wait may still need what they have in an affine register.
        const std::uint32_t r = affine_target(graph, affine, i);
        if (r != no_index && affine.is_affine(r) && !affine.local[r] && !is_steady(graph, affine, i)) return false;
    }
    return true;
}

/// A comparison whose predicate only the branch after it reads does what that does. `moved`: from the affine form.
void fuse_branches(Emission& emission, const FormPlaces& places, std::uint32_t moved) {
    const FlowGraph& graph = emission.graph;
    const auto& item_of = emission.item_of;
    const std::vector<std::uint32_t> reads = graph.count_reads();
    for (std::uint32_t i = 0; i + 1 < item_of.size(); ++i) {
        const std::uint32_t compared = item_of[i], branch = item_of[i + 1];
        if (compared == no_index || branch != compared + 1 || graph.block_of[compared] != graph.block_of[branch])
            continue;
        const FlowItem& item = graph.items[branch];
        if (item.flow != FlowItem::Flow::branch || !item.is(Control::branch)) continue;
        const AffineForms forms = affine_choice(graph, emission.affine, compared).run;
        Instruction& instruction = emission.code.instructions[places[i] + moved];
        if (!forms.block_branch || instruction.run != forms.block || places[i + 1] != places[i] + 1) continue;
        if (graph.uses[compared].writes == graph.uses[branch].reads && graph.uses[branch].reads.size() == 1 &&
            reads[graph.uses[branch].reads[0]] == 1 && !graph.is_checked(graph.uses[branch].reads[0]))
            instruction.run = forms.block_branch;
    }
}

/// Sequences of instructions that only compute, from `begin` on, are run warp by warp: adds them as plain ones.
void emit_sequences(Emission& emission, std::uint32_t begin) {
    Code& code = emission.code;
    auto& instructions = code.instructions;
    auto& plain_of = code.plain_of;
    const auto end = static_cast<std::uint32_t>(instructions.size());
    auto computes = [&](std::uint32_t at) {
        if (instructions[at].run != run_each_warp || instructions[at].inner == run_refused) return false;
        const std::uint32_t item = emission.item_of[plain_of[at - code.steady_at]];
        return item != no_index && emission.graph.items[item].is(Class::arithmetic);
    };
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  // and where they lead
    for (std::uint32_t at = begin; at < end;) {
        std::uint32_t after = at;
        while (after < end && computes(after)) ++after;
        const std::uint32_t moved = static_cast<std::uint32_t>(instructions.size()) - at;
        if (after - at < 2) {
            at = std::max(after, at + 1);
            continue;
        }
        for (std::uint32_t i = at; i < after; ++i) {
            Instruction alone = instructions[i];
            alone.run = alone.inner;
            alone.guard = no_index;
            instructions.push_back(alone);
            plain_of.push_back(plain_of[i - code.steady_at]);
            instructions[i].run = run_sequence;
            instructions[i].guard = moved;
        }
        ends.emplace_back(static_cast<std::uint32_t>(instructions.size()), after);
        instructions.emplace_back().run = run_end_of_sequence;
        plain_of.push_back(0);
        at = after;
    }
    for (auto [at, after] : ends) instructions[at].target = &instructions[after];
}

/// Changes an affine or plain instruction to what all warps do; false if there is no such form.
bool make_lockstep(Instruction& instruction, Handler together, const AffineForms& affine, bool is_access) {
    if (instruction.run == run_guarded) {
        const unsigned sources = is_access ? 1 : 2;
        instruction.run = each_guarded_warp(affine ? sources : 0);
        return true;
    }
    if (affine && instruction.run == affine.warp) {
        instruction.run = affine.block;
        return true;
    }
    if (together) {
        instruction.run = together;
        return true;
    }
    if (instruction.guard != no_index) return false;
    instruction.inner = instruction.run;
    instruction.run = run_each_warp;
    instruction.guard = 0;  // keeps its handler from going on to the warp's next instruction (next_if_plain)
    return true;
}

}  // namespace

FormPlaces emit_lockstep(Emission& emission, const AccessOrder& order, const FormPlaces& places) {
    const FlowGraph& graph = emission.graph;
    const auto& item_of = emission.item_of;
    Code& code = emission.code;
    if (!std::ranges::all_of(graph.items, has_lockstep_form)) return {};
    if (emission.checks && emission.checks->memory) return {};
    if (warp_order_shows(graph, order)) return {};
    auto& instructions = code.instructions;
    const std::uint32_t begin = code.steady_at, end = static_cast<std::uint32_t>(instructions.size());
    for (std::uint32_t at = begin; at < end; ++at) {
        Instruction instruction = instructions[at];
        const std::uint32_t plain = code.plain_of[at - begin];
        const std::uint32_t item = instruction.run == run_end_of_steady ? no_index : item_of[plain];
        AffineChoice choice;
        if (item != no_index) choice = affine_choice(graph, emission.affine, item);
        // `count` lets a handler go on to its warp's next instruction.
        if (choice.run && choice.result == Shape::lanes) instruction.count = 0;
        const bool is_access = item != no_index && graph.items[item].is(Class::memory);
        const bool is_barrier = item != no_index && graph.items[item].is(Class::barrier);
        const Handler together = instruction.run == run_end_of_steady ? run_end_of_steady : emission.together[plain];
        if ((is_barrier && !together) || !make_lockstep(instruction, together, choice.run, is_access)) {
            instructions.resize(end);
            code.plain_of.resize(end - begin);
            return {};
        }
        if (instruction.run == run_each_warp && item != no_index && graph.items[item].is(Effect::store))
            instruction.run = run_each_storing_warp;
        if (item != no_index && graph.items[item].flow == FlowItem::Flow::branch)
            instruction.extra = is_simple_if(graph, emission.affine, item);
        instructions.push_back(instruction);
        code.plain_of.push_back(plain);
    }
    fuse_branches(emission, places, end - begin);
    emit_sequences(emission, end);
    code.lockstep_steady_at = end;
    code.lockstep_at = end + (code.affine_at - begin);
    code.lockstep_may_show = shows_in_global_memory(order);
    FormPlaces moved = places;
    for (std::uint32_t& place : moved) place += end - begin;
    return moved;
}

}  // namespace cudash::virtual_gpu
