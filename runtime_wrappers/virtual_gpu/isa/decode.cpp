#include "runtime_wrappers/virtual_gpu/isa/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

/// Items between two pauses.
constexpr std::size_t longest_straight_code = 128;

/// What each call takes of a thread's stack beside the function's variables; recorded on an H200, where 64 activations
/// of a function without any fit into the 1024 bytes of cudaLimitStackSize. Endless recursion ends by this.
constexpr std::uint32_t call_bytes = 16;

/// Every name of a register that an operand mentions.
template <class Visit>
void visit_names(const ptx::Operand& operand, Visit&& visit) {
    if (!operand.name.empty()) visit(operand);
    for (const ptx::Operand& element : operand.elements) visit_names(element, visit);
}

bool mentions_special(const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::name && is_special_register(operand.name);
}

/// A guard on these means a way around them; others work on the lanes whose guard is true.
bool needs_skip(const InstructionRow* row) {
    if (!row) return false;
    const Control control = row->behavior.control;
    if (control == Control::branch || control == Control::leave) return false;
    return row->klass == Class::collective || row->klass == Class::barrier || row->klass == Class::control;
}

/// Modifiers, types and the number of operands are those of the row: what is not is refused before any pass reads it.
bool is_form_of(const InstructionRow& row, const ptx::Instruction& written, const ParsedModifiers& modifiers) {
    const FormShape shape = shape_of(row.form);
    // A division that a sum was contracted with has one operand more.
    const std::size_t most = shape.most + (written.contracted && row.behavior.meaning == Meaning::quotient ? 1 : 0);
    if (written.operands.size() < shape.least || written.operands.size() > most) return false;
    if (!modifiers.unknown.empty() || !modifiers.set.without(row.modifiers).empty()) return false;
    // Only barriers may leave their type out.
    const bool typed = row.types != 0 && (row.klass == Class::arithmetic || row.klass == Class::memory);
    if (typed && modifiers.types.empty()) return false;
    return row.types == 0 ||
           std::ranges::all_of(modifiers.types, [&](ptx::Type type) { return contains(row.types, type); });
}

}  // namespace

std::uint64_t variable_bytes(const ptx::Variable& variable) {
    std::uint64_t bytes = std::uint64_t{std::max(type_bytes(variable.type), 1u)} * variable.vector;
    if (variable.type >= ptx::Type::texref) bytes = 8;
    for (std::uint64_t dimension : variable.dimensions) bytes = size_product(bytes, dimension);
    return bytes;
}

std::uint64_t variable_alignment(const ptx::Variable& variable) {
    if (variable.alignment != 0) return variable.alignment;
    return variable.type >= ptx::Type::texref
               ? 8
               : std::uint64_t{std::max(type_bytes(variable.type), 1u)} * variable.vector;
}

std::unique_ptr<Code> decode(const ptx::Function& function, Surroundings& surroundings) {
    return FunctionDecoder(function, surroundings).run();
}

FunctionDecoder::FunctionDecoder(const ptx::Function& function, Surroundings& surroundings, const StopChecks* checks)
    : function_(function), surroundings_(surroundings), checks_(checks), code_(std::make_unique<Code>()) {
    code_->name = function.name;
    code_->source = &function;
    if (surroundings.program().debug) {
        code_->debug = std::make_unique<DebugCode>();
        code_->debug->first_stop = surroundings.program().stops;
    }
}

std::unique_ptr<Code> FunctionDecoder::run() {
    declare_parameters();
    flatten();
    find_flow();
    note_register_uses();
    find_block_order();
    if (checks_) find_checked_registers();
    const std::vector<std::uint32_t> declared = always_live_;
    find_affine_registers();
    find_turns();
    find_polls();
    if (checks_) {
        // Warps take turns as in code with stops; all else is found again.
        trim();
        always_live_ = declared;
        affine_ = {};
        find_affine_registers();
    }
    if (code_->debug) keep_registers();
    places_ = place_registers(scopes_.register_bytes(), uses_, blocks_, always_live_);
    place_affine_registers();
    find_steady_registers();
    code_->constants_at = places_.bytes;
    code_->cleared = places_.cleared;
    for (ValuePlace& place : code_->parameters)
        if (place.in_register) place.offset = places_.offsets[place.offset];
    for (ValuePlace& place : code_->results)
        if (place.in_register) place.offset = places_.offsets[place.offset];
    if (code_->debug) keep_places();
    emit();
    code_->frame_bytes = code_->constants_at + static_cast<std::uint32_t>(code_->constants.size());
    code_->local_bytes = static_cast<std::uint32_t>(round_up(local_bytes_, call_bytes));
    code_->stack_bytes = static_cast<std::uint32_t>(round_up(depot_bytes_, call_bytes));
    if (!function_.is_entry) code_->stack_bytes += call_bytes;
    return std::move(code_);
}

NamedPlace FunctionDecoder::place_in_frame(const ptx::Variable& variable) {
    const std::uint64_t bytes = variable_bytes(variable), begin = round_up(local_bytes_, variable_alignment(variable));
    NamedPlace place{variable.space, begin, bytes, true, false};
    if (size_sum(begin, bytes) > most_local_bytes) {
        refuse(variable.location, fmt::format("with {} of {} bytes, {} needs more than {} bytes of local memory",
                                              variable.name, bytes, function_.name, most_local_bytes));
        local_bytes_ = most_local_bytes + 1;
        return {variable.space, 0, 0, true, false};
    }
    if (variable.space == ptx::Space::local)
        depot_bytes_ = round_up(depot_bytes_, variable_alignment(variable)) + bytes;
    local_bytes_ = begin + bytes;
    return place;
}

void FunctionDecoder::refuse(const ptx::Location& location, std::string message, std::string code) {
    if (std::exchange(refused_, true)) return;
    message += fmt::format(" (PTX line {})", location.ptx_line);
    Diagnostic diagnostic = error(std::move(code), std::move(message));
    diagnostic.where.line = location.line;
    diagnostic.where.column = location.column;
    diagnostic.where.file = fmt::format("{}", location.file);  // the linker knows the files' names
    surroundings_.program().unsupported.push_back(std::move(diagnostic));
}

void FunctionDecoder::declare_parameters() {
    std::uint64_t offset = 0;
    auto declare = [&](const ptx::Variable& variable, std::vector<ValuePlace>* formals) {
        if (variable.space == ptx::Space::reg) {
            scopes_.declare_registers(0, variable);
            RegisterId id = scopes_.find_register(0, variable.name);
            if (id.number == no_index || id.bytes == 0)
                return refuse(variable.location,
                              fmt::format("{} can't be passed in a register: it is no number", variable.name),
                              "unsupported-declaration");
            always_live_.push_back(id.number);
            formals->push_back({true, id.number, std::max(id.bytes, 4u)});
        } else if (function_.is_entry) {
            const std::uint64_t bytes = variable_bytes(variable);
            offset = round_up(offset, variable_alignment(variable));
            if (size_sum(offset, bytes) > most_parameter_bytes)
                return refuse(variable.location, fmt::format("the parameters of {} take more than {} bytes",
                                                             function_.name, most_parameter_bytes));
            scopes_.declare(0, variable.name, {ptx::Space::param, offset, bytes, false, true});
            offset += bytes;
        } else {
            NamedPlace place = place_in_frame(variable);
            scopes_.declare(0, variable.name, place);
            formals->push_back(
                {false, static_cast<std::uint32_t>(place.address), static_cast<std::uint32_t>(place.size)});
        }
    };
    for (const ptx::Variable& variable : function_.results) declare(variable, &code_->results);
    for (const ptx::Variable& variable : function_.parameters) declare(variable, &code_->parameters);
}

void FunctionDecoder::declare_variable(std::uint32_t scope, const ptx::Variable& variable) {
    if (variable.space == ptx::Space::reg) {
        scopes_.declare_registers(scope, variable);
    } else if (variable.space == ptx::Space::shared) {
        scopes_.declare(scope, variable.name, surroundings_.place_shared(variable));
    } else if (variable.space == ptx::Space::local || variable.space == ptx::Space::param) {
        if (variable.count > most_local_bytes)
            return refuse(variable.location,
                          fmt::format("{}<{}> declares more variables than {} bytes of local memory hold",
                                      variable.name, variable.count, most_local_bytes));
        // .param .b32 p<3> declares p0, p1 and p2.
        for (unsigned i = 0; i < std::max(variable.count, 1u) && !refused_; ++i) {
            NamedPlace place = place_in_frame(variable);
            scopes_.declare(scope, variable.count ? fmt::format("{}{}", variable.name, i) : variable.name, place);
        }
    } else if (auto place = surroundings_.find(variable.name)) {
        scopes_.declare(scope, variable.name, *place);
    }
}

void FunctionDecoder::flatten() {
    pause_at_ = longest_straight_code;
    std::uint32_t scope = 0;
    for (const ptx::Statement& statement : function_.body) {
        switch (statement.kind) {
            case ptx::Statement::Kind::instruction:
                append(statement.instruction, scope);
                break;
            case ptx::Statement::Kind::label:
                scopes_.declare_label(scope, statement.label, static_cast<std::uint32_t>(items_.size()));
                break;
            case ptx::Statement::Kind::variable:
                declare_variable(scope, statement.variable);
                break;
            case ptx::Statement::Kind::branch_targets:
                scopes_.declare_targets(scope, statement.label, statement.targets);
                break;
            case ptx::Statement::Kind::block_begin:
                scope = scopes_.open(scope);
                break;
            case ptx::Statement::Kind::block_end:
                scope = scopes_.parent(scope);
                break;
            case ptx::Statement::Kind::prototype:
                break;  // a call by address says with its own operands what it passes
        }
    }
    // Control that runs off the end returns.
    ptx::Instruction& last = made_.emplace_back();
    last.mnemonic = "ret";
    items_.push_back({&last, 0, find_instruction("ret"), {}, Item::Kind::end, {}});
}

/// One handler may call the next (go_on() in exec/lanes.h), but not all of a long function in a row.
void FunctionDecoder::append_pause(const ptx::Instruction& before, std::uint32_t scope) {
    static constexpr InstructionRow row{.mnemonic = "",
                                        .form = Form::x,
                                        .types = 0,
                                        .modifiers = {},
                                        .klass = Class::hint,
                                        .cost = {},
                                        .section = "",
                                        .behavior = {},
                                        .select = nullptr};
    pause_at_ = items_.size() + longest_straight_code;
    ptx::Instruction& pause = made_.emplace_back();
    pause.location = before.location;
    items_.push_back({&pause, scope, &row, {}, Item::Kind::pause, {}});
}

void FunctionDecoder::append(const ptx::Instruction& written, std::uint32_t scope) {
    if (items_.size() >= pause_at_) append_pause(written, scope);
    ParsedModifiers modifiers = parse_modifiers(written.modifiers);
    const InstructionRow* row = find_instruction(written.mnemonic);
    if (row && !is_form_of(*row, written, modifiers)) row = nullptr;
    const ptx::Instruction* instruction = &written;
    const bool reads_any = row && row->behavior.meaning == Meaning::copy;
    if (!reads_any && std::any_of(written.operands.begin(), written.operands.end(), mentions_special))
        instruction = &read_specials_first(written, scope);
    if (!written.guard.empty() && needs_skip(row)) {
        items_.push_back({instruction, scope, row, {}, Item::Kind::skip, {}});
        items_.push_back({instruction, scope, row, std::move(modifiers), Item::Kind::unguarded, {}});
        return;
    }
    items_.push_back({instruction, scope, row, std::move(modifiers), Item::Kind::plain, {}});
}

/// `add.u32 %r1, %tid.x, 1` reads a special register where a handler expects lanes: a mov before it makes them.
const ptx::Instruction& FunctionDecoder::read_specials_first(const ptx::Instruction& written, std::uint32_t scope) {
    ptx::Instruction& changed = made_.emplace_back(written);
    for (ptx::Operand& operand : changed.operands) {
        if (!mentions_special(operand)) continue;
        const bool wide = operand.name.ends_with("64") || operand.name == "%globaltimer";
        std::string name = fmt::format("{}#{}", operand.name, made_.size());
        scopes_.new_register(scope, name, wide ? 8 : 4);
        ptx::Instruction& move = made_.emplace_back();
        move.mnemonic = "mov";
        move.modifiers = {wide ? "u64" : "u32"};
        move.location = written.location;
        move.operands.resize(2);
        move.operands[0].name = name;
        move.operands[1] = operand;
        operand.name = name;
        items_.push_back(
            {&move, scope, find_instruction("mov"), parse_modifiers(move.modifiers), Item::Kind::helper, {}});
    }
    return changed;
}

void FunctionDecoder::find_flow() {
    std::set<std::uint32_t> leaders{0};
    const auto count = static_cast<std::uint32_t>(items_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        Item& item = items_[i];
        const bool guarded = !item.written->guard.empty() && item.kind == Item::Kind::plain;
        if (item.kind == Item::Kind::skip) {
            item.targets = {i + 2};
            item.flow = Item::Flow::branch;
        } else if (item.is(Control::branch)) {
            if (!item.written->operands.empty())
                if (auto target = scopes_.find_label(item.scope, item.written->operands[0].name))
                    item.targets = {*target};
            item.flow = guarded ? Item::Flow::branch : Item::Flow::jump;
            if (jumps_to_next(i)) item.flow = Item::Flow::none, item.targets.clear();
        } else if (item.is(Control::indexed_branch)) {
            if (item.written->operands.size() > 1)
                if (auto* list = scopes_.find_targets(item.scope, item.written->operands[1].name))
                    for (const std::string& label : *list)
                        if (auto target = scopes_.find_label(item.scope, label)) item.targets.push_back(*target);
            item.flow = Item::Flow::jump;
        } else if (item.is(Control::leave)) {
            item.flow = guarded ? Item::Flow::branch : Item::Flow::leave;
            item.leaves = true;
        } else if (item.is(Control::stop)) {
            item.flow = Item::Flow::leave;
        } else if (item.is(Control::call) && item.written->call &&
                   surroundings_.callee(item.written->call->callee.name) == no_index) {
            // Lanes may call different functions: they meet again after it.
            item.flow = Item::Flow::branch;
        }
        for (std::uint32_t target : item.targets) leaders.insert(target);
        if (item.flow != Item::Flow::none && i + 1 < count) leaders.insert(i + 1);
    }
    block_of_.resize(count);
    for (auto leader = leaders.begin(); leader != leaders.end(); ++leader) {
        std::uint32_t end = std::next(leader) == leaders.end() ? count : *std::next(leader);
        for (std::uint32_t i = *leader; i < end; ++i) block_of_[i] = static_cast<std::uint32_t>(blocks_.size());
        blocks_.push_back({*leader, end - 1, {}, false});
    }
    for (FlowBlock& block : blocks_) {
        const Item& last = items_[block.last];
        for (std::uint32_t target : last.targets) block.successors.push_back(block_of_[target]);
        if ((last.flow == Item::Flow::none || last.flow == Item::Flow::branch) && block.last + 1 < count)
            block.successors.push_back(block_of_[block.last + 1]);
        block.leaves = last.leaves;
    }
    post_dominators_ = immediate_post_dominators(blocks_);
    joins_.resize(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const Item& last = items_[blocks_[b].last];
        const bool may_diverge = last.flow == Item::Flow::branch || last.targets.size() > 1;
        if (may_diverge && post_dominators_[b] != function_end) joins_[post_dominators_[b]] = true;
    }
}

void FunctionDecoder::note_register_uses() {
    uses_.resize(items_.size());
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const Item& item = items_[i];
        const ptx::Instruction& written = *item.written;
        RegisterUse& use = uses_[i];
        auto note = [&](const ptx::Operand& operand, std::vector<std::uint32_t>& to) {
            visit_names(operand, [&](const ptx::Operand& named) {
                RegisterId id = scopes_.find_register(item.scope, named.name);
                if (id.number != no_index) to.push_back(id.number);
            });
        };
        if (!written.guard.empty() && item.kind != Item::Kind::unguarded) {
            RegisterId id = scopes_.find_register(item.scope, written.guard);
            if (id.number != no_index) use.reads.push_back(id.number);
        }
        if (item.kind == Item::Kind::skip) continue;
        use.may_keep = !written.guard.empty();
        const unsigned written_operands = item.row ? shape_of(item.row->form).written : 0;
        for (std::size_t o = 0; o < written.operands.size(); ++o) {
            const ptx::Operand& operand = written.operands[o];
            // Forms with their own rules may write any operand: all are taken as both.
            const bool either = item.row && (item.row->form == Form::x || item.row->form == Form::dx);
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
    read_.resize(scopes_.register_bytes().size());
    for (const RegisterUse& use : uses_)
        for (std::uint32_t r : use.reads) read_[r] = true;
}

void FunctionDecoder::push(const Item& item, Plain plain, bool real) {
    plain.instruction.ordinal = ordinal_;
    plain.instruction.counted_from = std::min(ordinal_, std::exchange(dropped_from_, no_index));
    is_empty_so_far_ = false;
    if (real) ++ordinal_;
    code_->instructions.push_back(plain.instruction);
    code_->locations.push_back(item.written->location);
    code_->written.push_back(real ? item.written : nullptr);
    code_->operations.push_back(plain.chosen.operation);
    together_.push_back(plain.chosen.together);
}

void FunctionDecoder::emit() {
    std::vector<std::uint32_t> starts(items_.size());
    struct Fixup {
        std::uint32_t instruction, block;
        bool has_target;
    };
    std::vector<Fixup> fixups;
    std::vector<std::uint32_t> item_of;
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
        const Item& item = items_[i];
        const std::uint32_t block = block_of_[i];
        starts[i] = static_cast<std::uint32_t>(code_->instructions.size());
        if (blocks_[block].first == i && !std::exchange(is_empty_so_far_, true)) dropped_from_ = no_index;
        if (blocks_[block].first == i && joins_[block]) {
            Instruction join;
            join.run = run_join;
            push(item, {join, {run_join, run_join_together}}, false);
        }
        if (item.kind == Item::Kind::end) code_->return_at = static_cast<std::uint32_t>(code_->instructions.size());
        if (code_->debug) push_stop(item);
        push_turn(item, turn_before_[i]);
        if (item.dropped) {
            push_turn(item, turn_after_[i]);
            if (item.kind == Item::Kind::plain) dropped_from_ = std::min(dropped_from_, ordinal_++);
            continue;
        }
        Plain chosen = choose(item);
        if (item.flow != Item::Flow::none)
            fixups.push_back({static_cast<std::uint32_t>(code_->instructions.size()), block, !item.targets.empty()});
        if (!item.targets.empty()) chosen.instruction.immediate = item.targets.front();
        push(item, chosen, item.kind == Item::Kind::plain || item.kind == Item::Kind::unguarded);
        item_of.resize(code_->instructions.size(), no_index);
        item_of.back() = i;
        code_->uses.resize(code_->instructions.size());
        code_->uses.back() = frame_use(i);
        push_turn(item, turn_after_[i]);
    }
    item_of.resize(code_->instructions.size(), no_index);
    code_->uses.resize(code_->instructions.size());
    const auto count = static_cast<std::uint32_t>(code_->instructions.size());
    std::vector<std::uint32_t> plain(count);
    std::iota(plain.begin(), plain.end(), 0);
    std::vector<std::vector<std::uint32_t>> forms = {plain};
    if (affine_.count != 0) {
        forms.push_back(emit_affine(item_of));
        if (auto lockstep = emit_lockstep(item_of, forms.back()); !lockstep.empty())
            forms.push_back(std::move(lockstep));
        for (std::size_t f = 1; f < forms.size(); ++f) fuse_affine(item_of, forms[f]);
    }
    for (const auto& place : forms)
        for (const Fixup& fixup : fixups) {
            Instruction& instruction = code_->instructions[place[fixup.instruction]];
            if (fixup.has_target)
                instruction.target =
                    &code_->instructions[place[starts[static_cast<std::size_t>(instruction.immediate)]]];
            const std::uint32_t rejoin = post_dominators_[fixup.block];
            instruction.c = rejoin == function_end ? no_index : place[starts[blocks_[rejoin].first]];
        }
    for (auto& list : code_->branch_lists)
        for (std::uint32_t& target : list) target = starts[target];
}

FrameUse FunctionDecoder::frame_use(std::uint32_t item) {
    auto& registers = code_->frame_registers;
    const RegisterUse& use = uses_[item];
    const auto add = [&](const std::vector<std::uint32_t>& numbers) {
        for (std::uint32_t r : numbers) registers.push_back({places_.offsets[r], scopes_.register_bytes()[r]});
        return static_cast<std::uint16_t>(numbers.size());
    };
    FrameUse made{static_cast<std::uint32_t>(registers.size()), 0, 0, use.may_keep};
    made.reads = add(use.reads);
    made.writes = add(use.writes);
    return made;
}

FunctionDecoder::Plain FunctionDecoder::choose(const Item& item) {
    const ptx::Instruction& written = *item.written;
    Site site(*this, written, item.modifiers, item.scope);
    if (item.kind == Item::Kind::end) {
        site.run(function_.is_entry ? Chosen{run_exit, run_exit_together} : Chosen{run_return});
        return {site.out, site.chosen()};
    }
    if (item.kind == Item::Kind::pause) {
        site.run({run_pause, run_pause});
        return {site.out, site.chosen()};
    }
    if (item.kind == Item::Kind::skip) {
        site.out.guard = site.predicate(guard_operand(written)) + written.guard_negated;
        site.run(run_skip);
        return {site.out, site.chosen()};
    }
    if (item.row) item.row->select(site);
    if (checks_ && item.is(Control::branch) && item.flow == Item::Flow::none && !site.refused())
        site.run({run_jump_to_next, run_jump_to_next});
    if (!site.refused() && !site.out.run) site.refuse();
    if (site.refused()) site.out.run = run_refused;
    if (!written.guard.empty() && item.kind == Item::Kind::plain) {
        site.out.guard = site.predicate(guard_operand(written)) + written.guard_negated;
        if (item.flow == Item::Flow::none) {
            site.out.inner = site.out.run;
            site.out.run = run_guarded;
        }
    }
    return {site.out, site.chosen()};
}

ptx::Operand FunctionDecoder::guard_operand(const ptx::Instruction& written) {
    ptx::Operand operand;
    operand.name = written.guard;
    return operand;
}

}  // namespace cudash::virtual_gpu
