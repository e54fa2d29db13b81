#include "runtime_wrappers/virtual_gpu/isa/decode/flow_graph.h"

#include <set>

namespace cudash::virtual_gpu {
namespace {

/// Every name of a register that an operand mentions.
template <class Visit>
void visit_names(const ptx::Operand& operand, Visit&& visit) {
    if (!operand.name.empty()) visit(operand);
    for (const ptx::Operand& element : operand.elements) visit_names(element, visit);
}

/// nvcc ends each basic block of debug code with a jump; where it goes nowhere else, lanes may stay in lockstep.
bool jumps_to_next(const FlowGraph& graph, std::uint32_t item) {
    const FlowItem& jump = graph.items[item];
    return graph.unstopped && jump.flow == FlowItem::Flow::jump && jump.targets.size() == 1 &&
           jump.targets.front() == item + 1;
}

/// Where control goes from an item.
void find_targets(FlowGraph& graph, std::uint32_t at) {
    FlowItem& item = graph.items[at];
    const auto& operands = item.written->operands;
    const bool guarded = !item.written->guard.empty() && item.kind == FlowItem::Kind::plain;
    const auto add_label = [&](const std::string& label) {
        if (auto target = graph.scopes.find_label(item.scope, label)) item.targets.push_back(*target);
    };
    if (item.kind == FlowItem::Kind::skip) {
        item.targets = {at + 2};
        item.flow = FlowItem::Flow::branch;
    } else if (item.is(Control::branch)) {
        if (!operands.empty()) add_label(operands[0].name);
        item.flow = guarded ? FlowItem::Flow::branch : FlowItem::Flow::jump;
        if (jumps_to_next(graph, at)) item.flow = FlowItem::Flow::none, item.targets.clear();
    } else if (item.is(Control::indexed_branch)) {
        if (operands.size() > 1)
            if (auto* list = graph.scopes.find_targets(item.scope, operands[1].name))
                for (const std::string& label : *list) add_label(label);
        item.flow = FlowItem::Flow::jump;
    } else if (item.is(Control::leave)) {
        item.flow = guarded ? FlowItem::Flow::branch : FlowItem::Flow::leave;
        item.leaves = true;
    } else if (item.is(Control::stop)) {
        item.flow = FlowItem::Flow::leave;
    } else if (item.is(Control::call) && item.written->call &&
               graph.outside->callee(item.written->call->callee.name) == no_index) {
        // Lanes may call different functions: they meet again after it.
        item.flow = FlowItem::Flow::branch;
    }
}

std::vector<std::uint32_t> count_by_register(const FlowGraph& graph, std::vector<std::uint32_t> RegisterUse::*numbers) {
    std::vector<std::uint32_t> counts(graph.registers());
    for (const RegisterUse& use : graph.uses)
        for (std::uint32_t r : use.*numbers) ++counts[r];
    return counts;
}

}  // namespace

FlowGraph make_flow_graph(const ptx::Function& function, Surroundings& surroundings, bool unstopped) {
    FlowGraph graph;
    graph.function = &function;
    graph.outside = &surroundings;
    graph.unstopped = unstopped;
    flatten(graph);
    find_flow(graph);
    note_register_uses(graph);
    return graph;
}

void find_flow(FlowGraph& graph) {
    auto& items = graph.items;
    auto& blocks = graph.blocks;
    std::set<std::uint32_t> leaders{0};
    const auto count = static_cast<std::uint32_t>(items.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        find_targets(graph, i);
        for (std::uint32_t target : items[i].targets) leaders.insert(target);
        if (items[i].flow != FlowItem::Flow::none && i + 1 < count) leaders.insert(i + 1);
    }
    graph.block_of.resize(count);
    for (auto leader = leaders.begin(); leader != leaders.end(); ++leader) {
        const std::uint32_t end = std::next(leader) == leaders.end() ? count : *std::next(leader);
        for (std::uint32_t i = *leader; i < end; ++i) graph.block_of[i] = static_cast<std::uint32_t>(blocks.size());
        blocks.push_back({*leader, end - 1, {}, false});
    }
    for (FlowBlock& block : blocks) {
        const FlowItem& last = items[block.last];
        for (std::uint32_t target : last.targets) block.successors.push_back(graph.block_of[target]);
        if ((last.flow == FlowItem::Flow::none || last.flow == FlowItem::Flow::branch) && block.last + 1 < count)
            block.successors.push_back(graph.block_of[block.last + 1]);
        block.leaves = last.leaves;
    }
    graph.post_dominators = immediate_post_dominators(blocks);
    graph.joins.resize(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const FlowItem& last = items[blocks[b].last];
        const bool may_diverge = last.flow == FlowItem::Flow::branch || last.targets.size() > 1;
        if (may_diverge && graph.post_dominators[b] != function_end) graph.joins[graph.post_dominators[b]] = true;
    }
}

void note_register_uses(FlowGraph& graph) {
    graph.uses.resize(graph.items.size());
    for (std::size_t i = 0; i < graph.items.size(); ++i) {
        const FlowItem& item = graph.items[i];
        const ptx::Instruction& written = *item.written;
        RegisterUse& use = graph.uses[i];
        auto note = [&](const ptx::Operand& operand, std::vector<std::uint32_t>& to) {
            visit_names(operand, [&](const ptx::Operand& named) {
                const RegisterId id = graph.register_of(item, named);
                if (id.number != no_index) to.push_back(id.number);
            });
        };
        if (!written.guard.empty() && item.kind != FlowItem::Kind::unguarded) {
            const RegisterId id = graph.scopes.find_register(item.scope, written.guard);
            if (id.number != no_index) use.reads.push_back(id.number);
        }
        if (item.kind == FlowItem::Kind::skip) continue;
        use.may_keep = !written.guard.empty();
        const unsigned written_operands = item.row ? shape_of(item.row->form).written : 0;
        for (std::size_t o = 0; o < written.operands.size(); ++o) {
            const ptx::Operand& operand = written.operands[o];
            // Forms with their own rules may write any operand: all are taken as both.
            const bool either = item.row && item.row->form == Form::x;
            if (o < written_operands && operand.kind != ptx::Operand::Kind::address) note(operand, use.writes);
            if (o >= written_operands) note(operand, use.reads);
            if (either) {
                note(operand, use.reads);
                note(operand, use.writes);
                use.may_keep = true;
            }
        }
        if (written.call) {
            for (const ptx::Operand& operand : written.call->arguments) note(operand, use.reads);
            for (const ptx::Operand& operand : written.call->results) note(operand, use.writes);
            note(written.call->callee, use.reads);
        }
    }
}

std::optional<NamedPlace> FlowGraph::place_of(const FlowItem& item, const std::string& name) const {
    auto place = scopes.find_place(item.scope, name);
    return place ? place : outside->find(name);
}

std::vector<std::uint32_t> FlowGraph::count_reads() const {
    return count_by_register(*this, &RegisterUse::reads);
}

std::vector<std::uint32_t> FlowGraph::count_definitions() const {
    return count_by_register(*this, &RegisterUse::writes);
}

std::vector<bool> FlowGraph::reached_without_barrier(std::uint32_t start) const {
    std::vector<bool> reached(items.size()), queued(blocks.size());
    std::vector<std::uint32_t> queue;
    auto walk = [&](std::uint32_t b, std::uint32_t from) {
        for (std::uint32_t i = from; i <= blocks[b].last; ++i) {
            if (items[i].is(Class::barrier)) return;
            reached[i] = true;
        }
        for (std::uint32_t successor : blocks[b].successors) {
            if (!queued[successor]) queue.push_back(successor);
            queued[successor] = true;
        }
    };
    walk(block_of[start], start + 1);
    while (!queue.empty()) {
        const std::uint32_t b = queue.back();
        queue.pop_back();
        walk(b, blocks[b].first);
    }
    return reached;
}

bool FlowGraph::is_in_loop(std::uint32_t item) const {
    const std::uint32_t home = block_of[item];
    std::vector<bool> seen(blocks.size());
    std::vector<std::uint32_t> open{home};
    while (!open.empty()) {
        const std::uint32_t b = open.back();
        open.pop_back();
        for (std::uint32_t successor : blocks[b].successors) {
            if (successor == home) return true;
            if (!seen[successor]) open.push_back(successor);
            seen[successor] = true;
        }
    }
    return false;
}

}  // namespace cudash::virtual_gpu
