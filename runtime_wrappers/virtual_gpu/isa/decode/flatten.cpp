// The first step of a flow graph: names get their places, and the instructions stand in a row, with helpers of ours
// where one is needed.
#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/decode/flow_graph.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"

namespace cudash::virtual_gpu {
namespace {

/// Items between two pauses.
constexpr std::size_t longest_straight_code = 128;

bool mentions_special(const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::name && is_special_register(operand.name);
}

/// A guard on these means a way around them; others work on the lanes whose guard is true.
bool needs_skip(const InstructionRow* row) {
    if (!row) return false;
    const Control control = row->behavior.control;
    if (control == Control::branch || control == Control::leave) return false;
    return row->instruction_class == Class::collective || row->instruction_class == Class::barrier ||
           row->instruction_class == Class::control;
}

/// Modifiers, types and the number of operands are those of the row: what is not is refused before any pass reads it.
bool is_form_of(const InstructionRow& row, const ptx::Instruction& written, const ParsedModifiers& modifiers) {
    const FormShape shape = shape_of(row.form);
    // A division that a sum was contracted with has one operand more.
    const std::size_t most = shape.most + (written.contracted && row.behavior.meaning == Meaning::quotient ? 1 : 0);
    if (written.operands.size() < shape.least || written.operands.size() > most) return false;
    if (!modifiers.unknown.empty() || !modifiers.set.without(row.modifiers).empty()) return false;
    // Only barriers may leave their type out.
    const bool typed =
        row.types != 0 && (row.instruction_class == Class::arithmetic || row.instruction_class == Class::memory);
    if (typed && modifiers.types.empty()) return false;
    return row.types == 0 ||
           std::ranges::all_of(modifiers.types, [&](ptx::Type type) { return contains(row.types, type); });
}

class Flattener {
public:
    explicit Flattener(FlowGraph& graph) : graph_(graph), function_(*graph.function), frame_(graph.frame) {}

    void declare_parameters() {
        for (const ptx::Variable& variable : function_.results) declare_parameter(variable, frame_.results);
        for (const ptx::Variable& variable : function_.parameters) declare_parameter(variable, frame_.parameters);
    }

    void read_body() {
        std::uint32_t scope = 0;
        for (const ptx::Statement& statement : function_.body) {
            switch (statement.kind) {
                case ptx::Statement::Kind::instruction:
                    append(statement.instruction, scope);
                    break;
                case ptx::Statement::Kind::label:
                    graph_.scopes.declare_label(scope, statement.label,
                                                static_cast<std::uint32_t>(graph_.items.size()));
                    break;
                case ptx::Statement::Kind::variable:
                    declare_variable(scope, statement.variable);
                    break;
                case ptx::Statement::Kind::branch_targets:
                    graph_.scopes.declare_targets(scope, statement.label, statement.targets);
                    break;
                case ptx::Statement::Kind::block_begin:
                    scope = graph_.scopes.open(scope);
                    break;
                case ptx::Statement::Kind::block_end:
                    scope = graph_.scopes.parent(scope);
                    break;
                case ptx::Statement::Kind::prototype:
                    break;  // a call by address says with its own operands what it passes
            }
        }
        // Control that runs off the end returns.
        ptx::Instruction& last = graph_.made.emplace_back();
        last.mnemonic = "ret";
        graph_.items.push_back({&last, 0, find_instruction("ret"), {}, FlowItem::Kind::end, {}});
    }

private:
    void declare_parameter(const ptx::Variable& variable, std::vector<ValuePlace>& formals) {
        ScopeTree& scopes = graph_.scopes;
        if (variable.space == ptx::Space::reg) {
            scopes.declare_registers(0, variable);
            const RegisterId id = scopes.find_register(0, variable.name);
            if (id.number == no_index || id.bytes == 0)
                return refuse(variable.location,
                              fmt::format("{} can't be passed in a register: it is not a number", variable.name),
                              "unsupported-declaration");
            frame_.registers.push_back(id.number);
            formals.push_back({true, id.number, std::max(id.bytes, 4u)});
        } else if (function_.is_entry) {
            const std::uint64_t bytes = variable_bytes(variable);
            const std::uint64_t begin = round_up(parameter_bytes_, variable_alignment(variable));
            if (size_sum(begin, bytes) > most_parameter_bytes)
                return refuse(variable.location, fmt::format("the parameters of {} take more than {} bytes",
                                                             function_.name, most_parameter_bytes));
            scopes.declare(0, variable.name, {ptx::Space::param, begin, bytes, false, true});
            parameter_bytes_ = begin + bytes;
        } else {
            const NamedPlace place = place_in_frame(variable);
            scopes.declare(0, variable.name, place);
            formals.push_back(
                {false, static_cast<std::uint32_t>(place.address), static_cast<std::uint32_t>(place.size)});
        }
    }

    void declare_variable(std::uint32_t scope, const ptx::Variable& variable) {
        ScopeTree& scopes = graph_.scopes;
        if (variable.space == ptx::Space::reg) {
            scopes.declare_registers(scope, variable);
        } else if (variable.space == ptx::Space::shared) {
            scopes.declare(scope, variable.name, graph_.outside->place_shared(variable));
        } else if (variable.space == ptx::Space::local || variable.space == ptx::Space::param) {
            if (variable.count > most_local_bytes)
                return refuse(variable.location,
                              fmt::format("{}<{}> declares more variables than {} bytes of local memory hold",
                                          variable.name, variable.count, most_local_bytes));
            // .param .b32 p<3> declares p0, p1 and p2.
            for (unsigned i = 0; i < std::max(variable.count, 1u) && !refused_; ++i) {
                const NamedPlace place = place_in_frame(variable);
                scopes.declare(scope, variable.count ? fmt::format("{}{}", variable.name, i) : variable.name, place);
            }
        } else if (auto place = graph_.outside->find(variable.name)) {
            scopes.declare(scope, variable.name, *place);
        }
    }

    NamedPlace place_in_frame(const ptx::Variable& variable) {
        const std::uint64_t bytes = variable_bytes(variable), alignment = variable_alignment(variable);
        const std::uint64_t begin = round_up(frame_.local_bytes, alignment);
        if (size_sum(begin, bytes) > most_local_bytes) {
            refuse(variable.location, fmt::format("with {} of {} bytes, {} needs more than {} bytes of local memory",
                                                  variable.name, bytes, function_.name, most_local_bytes));
            frame_.local_bytes = most_local_bytes + 1;
            return {variable.space, 0, 0, true, false};
        }
        if (variable.space == ptx::Space::local) frame_.depot_bytes = round_up(frame_.depot_bytes, alignment) + bytes;
        frame_.local_bytes = begin + bytes;
        return {variable.space, begin, bytes, true, false};
    }

    /// Only the first such declaration is told.
    void refuse(const ptx::Location& location, std::string message, std::string code = "too-large") {
        if (!std::exchange(refused_, true))
            refuse_program(graph_.outside->program(), location, std::move(message), std::move(code));
    }

    void append(const ptx::Instruction& written, std::uint32_t scope) {
        if (graph_.items.size() >= pause_at_) append_pause(written, scope);
        ParsedModifiers modifiers = parse_modifiers(written.modifiers);
        const InstructionRow* row = find_instruction(written.mnemonic);
        if (row && !is_form_of(*row, written, modifiers)) row = nullptr;
        const ptx::Instruction* instruction = &written;
        const bool reads_any = row && row->behavior.meaning == Meaning::copy;
        if (!reads_any && std::any_of(written.operands.begin(), written.operands.end(), mentions_special))
            instruction = &read_specials_first(written, scope);
        if (!written.guard.empty() && needs_skip(row)) {
            graph_.items.push_back({instruction, scope, row, {}, FlowItem::Kind::skip, {}});
            graph_.items.push_back({instruction, scope, row, std::move(modifiers), FlowItem::Kind::unguarded, {}});
            return;
        }
        graph_.items.push_back({instruction, scope, row, std::move(modifiers), FlowItem::Kind::plain, {}});
    }

    /// One handler may call the next (go_on() in exec/lanes.h), but not all of a long function in a row.
    void append_pause(const ptx::Instruction& before, std::uint32_t scope) {
        static constexpr InstructionRow row{.mnemonic = "",
                                            .form = Form::x,
                                            .types = 0,
                                            .modifiers = {},
                                            .instruction_class = Class::hint,
                                            .cost = {},
                                            .section = "",
                                            .behavior = {},
                                            .select = nullptr};
        pause_at_ = graph_.items.size() + longest_straight_code;
        ptx::Instruction& pause = graph_.made.emplace_back();
        pause.location = before.location;
        graph_.items.push_back({&pause, scope, &row, {}, FlowItem::Kind::pause, {}});
    }

    /// `add.u32 %r1, %tid.x, 1` reads a special register where a handler expects lanes: a mov before it makes them.
    const ptx::Instruction& read_specials_first(const ptx::Instruction& written, std::uint32_t scope) {
        ptx::Instruction& changed = graph_.made.emplace_back(written);
        for (ptx::Operand& operand : changed.operands) {
            if (!mentions_special(operand)) continue;
            const bool wide = operand.name.ends_with("64") || operand.name == "%globaltimer";
            std::string name = fmt::format("{}#{}", operand.name, graph_.made.size());
            graph_.scopes.new_register(scope, name, wide ? 8 : 4);
            ptx::Instruction& move = graph_.made.emplace_back();
            move.mnemonic = "mov";
            move.modifiers = {wide ? "u64" : "u32"};
            move.location = written.location;
            move.operands.resize(2);
            move.operands[0].name = name;
            move.operands[1] = operand;
            operand.name = name;
            graph_.items.push_back(
                {&move, scope, find_instruction("mov"), parse_modifiers(move.modifiers), FlowItem::Kind::helper, {}});
        }
        return changed;
    }

    FlowGraph& graph_;
    const ptx::Function& function_;
    FrameLayout& frame_;
    std::uint64_t parameter_bytes_ = 0;             ///< of a kernel
    std::size_t pause_at_ = longest_straight_code;  ///< items after which a pause is due
    bool refused_ = false;
};

}  // namespace

void flatten(FlowGraph& graph) {
    Flattener flattener(graph);
    flattener.declare_parameters();
    flattener.read_body();
}

void refuse_program(Program& program, const ptx::Location& location, std::string message, std::string code) {
    message += fmt::format(" (PTX line {})", location.ptx_line);
    Diagnostic diagnostic = error(std::move(code), std::move(message));
    diagnostic.where.line = location.line;
    diagnostic.where.column = location.column;
    diagnostic.where.file = fmt::format("{}", location.file);  // the linker knows the files' names
    program.unsupported.push_back(std::move(diagnostic));
}

}  // namespace cudash::virtual_gpu
