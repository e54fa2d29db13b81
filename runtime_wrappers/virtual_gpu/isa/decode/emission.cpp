#include "runtime_wrappers/virtual_gpu/isa/decode/emission.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime_wrappers/virtual_gpu/isa/handlers.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"

namespace cudash::virtual_gpu {
namespace {

/// A branch whose place in the code is known, and those it leads to are not yet.
struct Fixup {
    std::uint32_t instruction, block;
    bool has_target;
};

ptx::Operand guard_operand(const ptx::Instruction& written) {
    ptx::Operand operand;
    operand.name = written.guard;
    return operand;
}

void push_turn(Emission& emission, const FlowItem& item, Turn turn) {
    if (turn == Turn::none) return;
    Instruction instruction;
    instruction.run = run_turn;
    instruction.option = turn == Turn::blocks;
    emission.code.has_turns_of_blocks |= turn == Turn::blocks;
    emission.push(item, instruction, {run_turn, run_turn_together}, false);
}

void push_join(Emission& emission, const FlowItem& item) {
    Instruction join;
    join.run = run_join;
    emission.push(item, join, {run_join, run_join_together}, false);
}

/// Chooses the handler of a written instruction.
void choose_written(Emission& emission, const FlowItem& item, Site& site) {
    const ptx::Instruction& written = *item.written;
    if (item.row) item.row->select(site);
    if (emission.checks && item.is(Control::branch) && item.flow == FlowItem::Flow::none && !site.refused())
        site.run({run_jump_to_next, run_jump_to_next});
    if (!site.refused() && !site.out.run) site.refuse();
    if (site.refused()) site.out.run = run_refused;
    if (written.guard.empty() || item.kind != FlowItem::Kind::plain) return;
    site.out.guard = site.predicate(guard_operand(written)) + written.guard_negated;
    if (item.flow == FlowItem::Flow::none) {
        site.out.inner = site.out.run;
        site.out.run = run_guarded;
    }
}

void choose(Emission& emission, const FlowItem& item, Site& site) {
    switch (item.kind) {
        case FlowItem::Kind::end:
            return site.run(site.in_kernel() ? Chosen{run_exit, run_exit_together} : Chosen{run_return});
        case FlowItem::Kind::pause:
            return site.run({run_pause, run_pause});
        case FlowItem::Kind::skip:
            site.out.guard = site.predicate(guard_operand(*item.written)) + item.written->guard_negated;
            return site.run(run_skip);
        case FlowItem::Kind::plain:
        case FlowItem::Kind::unguarded:
        case FlowItem::Kind::helper:
            return choose_written(emission, item, site);
    }
}

FrameUse frame_use(const Emission& emission, const RegisterUse& use) {
    auto& registers = emission.code.frame_registers;
    const auto add = [&](const std::vector<std::uint32_t>& numbers) {
        for (std::uint32_t r : numbers)
            registers.push_back({emission.places.offsets[r], emission.graph.scopes.register_bytes()[r]});
        return static_cast<std::uint16_t>(numbers.size());
    };
    FrameUse made{static_cast<std::uint32_t>(registers.size()), 0, 0, use.may_keep};
    made.reads = add(use.reads);
    made.writes = add(use.writes);
    return made;
}

/// Where the plain form has what branches lead to.
struct PlainForm {
    std::vector<std::uint32_t> starts;  ///< by item
    std::vector<Fixup> fixups;
};

PlainForm emit_plain(Emission& emission, const TurnPlaces& turns) {
    const FlowGraph& graph = emission.graph;
    Code& code = emission.code;
    PlainForm form;
    form.starts.resize(graph.items.size());
    for (std::uint32_t i = 0; i < graph.items.size(); ++i) {
        const FlowItem& item = graph.items[i];
        const std::uint32_t block = graph.block_of[i];
        form.starts[i] = static_cast<std::uint32_t>(code.instructions.size());
        if (graph.blocks[block].first == i && graph.joins[block]) push_join(emission, item);
        if (item.kind == FlowItem::Kind::end) code.return_at = static_cast<std::uint32_t>(code.instructions.size());
        if (code.debug) push_stop(emission, item);
        push_turn(emission, item, turns.before[i]);
        Site site(emission, *item.written, item.modifiers, item.scope);
        choose(emission, item, site);
        if (item.flow != FlowItem::Flow::none)
            form.fixups.push_back({static_cast<std::uint32_t>(code.instructions.size()), block, !item.targets.empty()});
        if (!item.targets.empty()) site.out.immediate = item.targets.front();
        emission.push(item, site.out, site.chosen(),
                      item.kind == FlowItem::Kind::plain || item.kind == FlowItem::Kind::unguarded);
        emission.item_of.back() = i;
        code.uses.back() = frame_use(emission, graph.uses[i]);
        push_turn(emission, item, turns.after[i]);
    }
    return form;
}

/// Branches of one form lead to instructions of that form.
void lead_branches(const Emission& emission, const PlainForm& plain, const FormPlaces& places) {
    const FlowGraph& graph = emission.graph;
    auto& instructions = emission.code.instructions;
    for (const Fixup& fixup : plain.fixups) {
        Instruction& instruction = instructions[places[fixup.instruction]];
        if (fixup.has_target)
            instruction.target = &instructions[places[plain.starts[static_cast<std::size_t>(instruction.immediate)]]];
        const std::uint32_t rejoin = graph.post_dominators[fixup.block];
        instruction.c = rejoin == function_end ? no_index : places[plain.starts[graph.blocks[rejoin].first]];
    }
}

}  // namespace

Emission::Emission(const FlowGraph& graph, const AffineRegisters& affine, const RegisterPlaces& places,
                   const StopChecks* checks, Code& code)
    : graph(graph), affine(affine), places(places), checks(checks), code(code), read_(graph.registers()) {
    for (const RegisterUse& use : graph.uses)
        for (std::uint32_t r : use.reads) read_[r] = true;
}

void Emission::push(const FlowItem& item, const Instruction& instruction, const Chosen& chosen, bool real) {
    code.instructions.push_back(instruction);
    code.instructions.back().ordinal = code.instructions.back().counted_from = ordinal_;
    if (real) ++ordinal_;
    code.locations.push_back(item.written->location);
    code.written.push_back(real ? item.written : nullptr);
    code.operations.push_back(chosen.operation);
    code.uses.emplace_back();
    together.push_back(chosen.together);
    item_of.push_back(no_index);
}

std::uint32_t Emission::constant(std::uint64_t bits, unsigned bytes) {
    if (const auto known = constants_.find({bits, bytes}); known != constants_.end()) return known->second;
    auto& image = code.constants;
    if (code.constants_at + image.size() > most_frame_bytes) return no_index;
    const std::uint32_t place = code.constants_at + static_cast<std::uint32_t>(image.size());
    // Predicates take a cache line, so that what follows stays aligned.
    const unsigned lane = bytes == 0 ? 4 : bytes;
    const std::size_t start = image.size();
    image.resize(start + (bytes == 0 ? 64 : lane * 32));
    for (unsigned i = 0; i < (bytes == 0 ? 1u : 32u); ++i)
        std::memcpy(&image[start + i * lane], &bits, std::min(lane, 8u));
    constants_.emplace(std::pair{bits, bytes}, place);
    return place;
}

std::uint32_t Emission::affine_constant(std::uint64_t value) {
    auto [entry, is_new] = affine_constants_.try_emplace(value, 0);
    if (!is_new) return entry->second;
    auto& image = code.constants;
    entry->second = code.constants_at + static_cast<std::uint32_t>(image.size());
    const std::size_t start = image.size();
    image.resize(start + 64);  // so that what follows stays aligned
    std::memcpy(&image[start], &value, sizeof value);
    return entry->second;
}

void emit(Emission& emission, const AccessOrder& order, const TurnPlaces& turns) {
    const PlainForm plain = emit_plain(emission, turns);
    std::vector<FormPlaces> forms;
    FormPlaces& same = forms.emplace_back(emission.code.instructions.size());
    std::iota(same.begin(), same.end(), 0);
    if (emission.affine.count != 0) {
        forms.push_back(emit_affine(emission));
        if (auto lockstep = emit_lockstep(emission, order, forms.back()); !lockstep.empty())
            forms.push_back(std::move(lockstep));
        for (std::size_t f = 1; f < forms.size(); ++f) fuse_affine(emission, forms[f]);
    }
    for (const FormPlaces& places : forms) lead_branches(emission, plain, places);
    for (auto& list : emission.code.branch_lists)
        for (std::uint32_t& target : list) target = plain.starts[target];
}

}  // namespace cudash::virtual_gpu
