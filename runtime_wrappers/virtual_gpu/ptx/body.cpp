#include "runtime_wrappers/virtual_gpu/ptx/body.h"

#include <utility>

#include "runtime_wrappers/virtual_gpu/ptx/operands.h"
#include "runtime_wrappers/virtual_gpu/ptx/variables.h"

namespace cudash::ptx {
namespace {

Statement& append(Function& function, Statement::Kind kind) {
    Statement& statement = function.body.emplace_back();
    statement.kind = kind;
    return statement;
}

/// `(results), callee, (arguments), prototype` (PTX ISA 9.7.13 "call"): only the callee is always there.
bool parse_call(TokenReader& reader, Instruction::Call& call) {
    if (reader.peek().is('(')) {
        if (!parse_call_list(reader, call.results)) return false;
        if (!reader.expect(',', "after the results of the call")) return false;
    }
    if (!parse_operand(reader, call.callee)) return false;
    if (call.callee.kind != Operand::Kind::name) return reader.fail("a call needs a function or a register to call");
    if (!reader.accept(',')) return true;
    if (reader.peek().is('(')) {
        if (!parse_call_list(reader, call.arguments)) return false;
        if (!reader.accept(',')) return true;
    }
    return reader.expect_word(call.prototype, "a prototype's label");
}

/// What follows the guard and the mnemonic, up to and with the semicolon.
bool parse_instruction(TokenReader& reader, Instruction& instruction) {
    while (reader.peek().kind == Token::Kind::dotted) {
        instruction.modifiers.emplace_back(reader.take().text.substr(1));
    }
    if (instruction.mnemonic == "call") {
        if (!parse_call(reader, instruction.call.emplace())) return false;
    } else if (!reader.peek().is(';')) {
        do {
            if (!parse_operand(reader, instruction.operands.emplace_back())) return false;
        } while (reader.accept(','));
    }
    return reader.expect(';', "after the instruction");
}

/// `@p` or `@!p`, after the `@`.
bool parse_guard(TokenReader& reader, Instruction& instruction) {
    instruction.guard_negated = reader.accept('!');
    return reader.expect_word(instruction.guard, "a predicate after '@'") &&
           reader.expect_word(instruction.mnemonic, "an instruction after the predicate");
}

bool parse_prototype(TokenReader& reader, CallPrototype& prototype) {
    std::string name;  // always "_"
    if (reader.peek().is('(') && !parse_parameters(reader, prototype.results)) return false;
    if (!reader.expect_word(name, "'_' in the prototype")) return false;
    if (reader.peek().is('(') && !parse_parameters(reader, prototype.parameters)) return false;
    // .noreturn, .abi_preserve 8: hints for ptxas.
    while (!reader.peek().is(';')) {
        const Token::Kind kind = reader.peek().kind;
        if (kind != Token::Kind::dotted && kind != Token::Kind::number)
            return reader.expect(';', "after the prototype");
        reader.take();
    }
    return reader.expect(';', "after the prototype");
}

bool parse_targets(TokenReader& reader, std::vector<std::string>& targets) {
    do {
        if (!reader.expect_word(targets.emplace_back(), "a label or function")) return false;
    } while (reader.accept(','));
    return reader.expect(';', "after the targets");
}

/// What follows `label:`.
bool parse_labelled(TokenReader& reader, Function& function, std::string label) {
    if (reader.accept_dotted("callprototype")) {
        CallPrototype& prototype = append(function, Statement::Kind::prototype).prototype;
        prototype.label = std::move(label);
        return parse_prototype(reader, prototype);
    }
    if (reader.accept_dotted("branchtargets") || reader.accept_dotted("calltargets")) {
        Statement& statement = append(function, Statement::Kind::branch_targets);
        statement.label = std::move(label);
        return parse_targets(reader, statement.targets);
    }
    append(function, Statement::Kind::label).label = std::move(label);
    return true;
}

bool parse_declaration(TokenReader& reader, Function& function, const DebugInfo& debug) {
    std::vector<Variable> variables;
    if (!parse_variables(reader, {}, variables)) return false;
    for (Variable& variable : variables) {
        const unsigned line = variable.location.ptx_line;
        variable.location = debug.current();
        variable.location.ptx_line = line;
        append(function, Statement::Kind::variable).variable = std::move(variable);
    }
    return true;
}

/// A label or an instruction.
bool parse_word(TokenReader& reader, Function& function, const DebugInfo& debug) {
    const Token word = reader.take();
    if (reader.accept(':')) return parse_labelled(reader, function, std::string(word.text));
    Instruction& instruction = append(function, Statement::Kind::instruction).instruction;
    instruction.mnemonic = word.text;
    instruction.location = debug.current();
    instruction.location.ptx_line = word.line;
    return parse_instruction(reader, instruction);
}

bool parse_guarded(TokenReader& reader, Function& function, const DebugInfo& debug) {
    Instruction& instruction = append(function, Statement::Kind::instruction).instruction;
    instruction.location = debug.current();
    instruction.location.ptx_line = reader.line();
    return parse_guard(reader, instruction) && parse_instruction(reader, instruction);
}

}  // namespace

bool skip_pragma(TokenReader& reader) {
    std::string ignored;
    do {
        if (!reader.expect_string(ignored, "a string after .pragma")) return false;
    } while (reader.accept(','));
    return reader.expect(';', "after .pragma");
}

bool parse_body(TokenReader& reader, Function& function, DebugInfo& debug) {
    for (unsigned depth = 1; depth > 0;) {
        if (reader.accept('{')) {
            append(function, Statement::Kind::block_begin);
            ++depth;
        } else if (reader.accept('}')) {
            if (--depth > 0) append(function, Statement::Kind::block_end);
        } else if (reader.accept(';')) {
            // An empty statement, as inline assembly may leave.
        } else if (reader.accept('@')) {
            if (!parse_guarded(reader, function, debug)) return false;
        } else if (reader.peek().kind == Token::Kind::word) {
            if (!parse_word(reader, function, debug)) return false;
        } else if (reader.accept_dotted("loc")) {
            if (!debug.parse_location(reader, function)) return false;
        } else if (reader.accept_dotted("pragma")) {
            if (!skip_pragma(reader)) return false;
        } else if (begins_variable(reader.peek())) {
            if (!parse_declaration(reader, function, debug)) return false;
        } else {
            return reader.fail_expected("a statement or '}'");
        }
    }
    return true;
}

}  // namespace cudash::ptx
