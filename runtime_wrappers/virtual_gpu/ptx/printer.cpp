#include "runtime_wrappers/virtual_gpu/ptx/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/ptx/location_printer.h"
#include "runtime_wrappers/virtual_gpu/ptx/names.h"

namespace cudash::ptx {
namespace {

template <class... Arguments>
void put(std::string& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
}

/// Prints `items` with `separator` between them.
template <class Range, class Print>
void put_list(std::string& text, const Range& items, std::string_view separator, Print print_item) {
    bool first = true;
    for (const auto& item : items) {
        if (!first) text += separator;
        first = false;
        print_item(text, item);
    }
}

void put_operand(std::string& text, const Operand& operand);

void put_operands(std::string& text, const std::vector<Operand>& operands, std::string_view separator = ", ") {
    put_list(text, operands, separator, put_operand);
}

void put_name(std::string& text, const Operand& operand) {
    if (operand.negated) text += '!';
    text += operand.name;
    if (!operand.selector.empty()) put(text, ".{}", operand.selector);
    if (operand.offset != 0) put(text, "+{}", operand.offset);
}

void put_address(std::string& text, const Operand& operand) {
    text += '[';
    if (operand.name.empty()) {
        put(text, "{}", operand.integer);
    } else {
        put_name(text, operand);
    }
    if (!operand.elements.empty()) text += ", ";
    put_operands(text, operand.elements);
    text += ']';
}

void put_operand(std::string& text, const Operand& operand) {
    switch (operand.kind) {
        case Operand::Kind::name:
            return put_name(text, operand);
        case Operand::Kind::integer:
            return put(text, "{}", operand.integer);
        case Operand::Kind::real:
            return operand.single ? put(text, "0f{:08X}", operand.bits) : put(text, "0d{:016X}", operand.bits);
        case Operand::Kind::address:
            return put_address(text, operand);
        case Operand::Kind::vector:
            text += '{';
            put_operands(text, operand.elements);
            text += '}';
            return;
        case Operand::Kind::predicate_pair:
            return put_operands(text, operand.elements, "|");
        case Operand::Kind::sink:
            text += '_';
            return;
    }
}

void put_initializer(std::string& text, const Initializer& initializer) {
    if (!initializer.scalar) {
        text += '{';
        put_list(text, initializer.list, ", ", put_initializer);
        text += '}';
    } else if (initializer.generic || initializer.mask != ~std::uint64_t{0}) {
        initializer.generic ? put(text, "generic(") : put(text, "0x{:X}(", initializer.mask);
        put_operand(text, *initializer.scalar);
        text += ')';
    } else {
        put_operand(text, *initializer.scalar);
    }
}

void put_linkage(std::string& text, bool is_extern, bool is_visible, bool is_weak, bool is_common) {
    if (is_extern) text += ".extern ";
    if (is_visible) text += ".visible ";
    if (is_weak) text += ".weak ";
    if (is_common) text += ".common ";
}

void put_variable(std::string& text, const Variable& variable) {
    put_linkage(text, variable.is_extern, variable.is_visible, variable.is_weak, variable.is_common);
    put(text, ".{} ", name_of(variable.space));
    if (variable.is_managed) text += ".attribute(.managed) ";
    if (variable.alignment != 0) put(text, ".align {} ", variable.alignment);
    if (variable.vector > 1) put(text, ".v{} ", variable.vector);
    put(text, ".{} ", name_of(variable.type));
    if (variable.pointee) {
        text += ".ptr ";
        if (variable.pointee->space != Space::none) put(text, ".{} ", name_of(variable.pointee->space));
        if (variable.pointee->alignment != 0) put(text, ".align {} ", variable.pointee->alignment);
    }
    text += variable.name;
    if (variable.count != 0) put(text, "<{}>", variable.count);
    for (const std::uint64_t elements : variable.dimensions) {
        elements == 0 ? put(text, "[]") : put(text, "[{}]", elements);
    }
    if (variable.initializer) {
        text += " = ";
        put_initializer(text, *variable.initializer);
    }
}

void put_parameters(std::string& text, const std::vector<Variable>& parameters, std::string_view separator) {
    text += '(';
    put_list(text, parameters, separator, put_variable);
    text += ')';
}

void put_instruction(std::string& text, const Instruction& instruction) {
    if (!instruction.guard.empty()) put(text, "@{}{} ", instruction.guard_negated ? "!" : "", instruction.guard);
    text += instruction.mnemonic;
    for (const std::string& modifier : instruction.modifiers) put(text, ".{}", modifier);
    if (instruction.call) {
        const Instruction::Call& call = *instruction.call;
        text += ' ';
        if (!call.results.empty()) {
            text += '(';
            put_operands(text, call.results);
            text += "), ";
        }
        put_operand(text, call.callee);
        if (!call.arguments.empty()) {
            text += ", (";
            put_operands(text, call.arguments);
            text += ')';
        }
        if (!call.prototype.empty()) put(text, ", {}", call.prototype);
    } else if (!instruction.operands.empty()) {
        text += " \t";
        put_operands(text, instruction.operands);
    }
    text += ';';
}

void put_prototype(std::string& text, const CallPrototype& prototype) {
    put(text, "\t{} : .callprototype ", prototype.label);
    put_parameters(text, prototype.results, ", ");
    text += " _ ";
    put_parameters(text, prototype.parameters, ", ");
    text += ";\n";
}

void put_statement(std::string& text, const Statement& statement) {
    switch (statement.kind) {
        case Statement::Kind::instruction:
            text += '\t';
            put_instruction(text, statement.instruction);
            text += '\n';
            return;
        case Statement::Kind::label:
            return put(text, "{}:\n", statement.label);
        case Statement::Kind::variable:
            text += '\t';
            put_variable(text, statement.variable);
            text += ";\n";
            return;
        case Statement::Kind::prototype:
            return put_prototype(text, statement.prototype);
        case Statement::Kind::branch_targets:
            put(text, "{}:\n\t.branchtargets ", statement.label);
            put_list(text, statement.targets, ", ", [](std::string& out, const std::string& target) { out += target; });
            text += ";\n";
            return;
        case Statement::Kind::block_begin:
            text += "\t{\n";
            return;
        case Statement::Kind::block_end:
            text += "\t}\n";
            return;
    }
}

void put_numbers(std::string& text, std::string_view directive, const std::vector<std::uint32_t>& numbers) {
    if (!numbers.empty()) put(text, "\n.{} {}", directive, fmt::join(numbers, ", "));
}

void put_number(std::string& text, std::string_view directive, const std::optional<std::uint32_t>& number) {
    if (number) put(text, "\n.{} {}", directive, *number);
}

void put_head(std::string& text, const Function& function) {
    put_linkage(text, function.is_extern, function.is_visible, function.is_weak, false);
    text += function.is_entry ? ".entry " : ".func ";
    if (!function.results.empty()) {
        put_parameters(text, function.results, ", ");
        text += ' ';
    }
    text += function.name;
    put_parameters(text, function.parameters, ",\n\t");
    put_numbers(text, "maxntid", function.maxntid);
    put_numbers(text, "reqntid", function.reqntid);
    put_numbers(text, "reqnctapercluster", function.reqnctapercluster);
    put_number(text, "minnctapersm", function.minnctapersm);
    put_number(text, "maxnreg", function.maxnreg);
    put_number(text, "maxclusterrank", function.maxclusterrank);
    if (function.is_explicit_cluster) text += "\n.explicitcluster";
    if (function.is_noreturn) text += "\n.noreturn";
}

void put_function(std::string& text, const Function& function, LocationPrinter& locations) {
    put_head(text, function);
    if (!function.has_body) {
        text += ";\n";
        return;
    }
    text += "\n{\n";
    for (const Statement& statement : function.body) {
        if (statement.kind == Statement::Kind::instruction) locations.print(text, statement.instruction.location);
        put_statement(text, statement);
    }
    locations.finish(text);
    text += "}\n";
}

void put_files(std::string& text, const std::vector<std::string>& files) {
    for (std::size_t index = 0; index < files.size(); ++index) {
        const bool is_needed = !files[index].empty() || index + 1 == files.size();
        if (is_needed) put(text, ".file {} \"{}\"\n", index, files[index]);
    }
}

}  // namespace

std::string print(const Operand& operand) {
    std::string text;
    put_operand(text, operand);
    return text;
}

std::string print(const Instruction& instruction) {
    std::string text;
    put_instruction(text, instruction);
    std::replace(text.begin(), text.end(), '\t', ' ');
    if (const auto gap = text.find("  "); gap != std::string::npos) text.erase(gap, 1);
    return text;
}

std::string print(const Function& function) {
    std::string text;
    LocationPrinter locations(function, 0);
    put_function(text, function, locations);
    return text;
}

std::string print(const Module& module) {
    std::string text, names;
    put(text, ".version {}.{}\n.target {}\n.address_size {}\n", module.version_major, module.version_minor,
        module.target, module.address_size);
    const auto print_range = [&](std::size_t begin, std::size_t end) {
        for (std::size_t index = begin; index < end; ++index) {
            LocationPrinter locations(module.functions[index], index);
            put_function(text, module.functions[index], locations);
            locations.print_names(names);
        }
    };
    // Declarations stand before the variables that take their addresses.
    const auto first_body = std::find_if(module.functions.begin(), module.functions.end(),
                                         [](const Function& function) { return function.has_body; });
    const auto declared = static_cast<std::size_t>(first_body - module.functions.begin());
    print_range(0, declared);
    for (const Variable& variable : module.variables) {
        put_variable(text, variable);
        text += ";\n";
    }
    print_range(declared, module.functions.size());
    for (const Alias& alias : module.aliases) put(text, ".alias {}, {};\n", alias.name, alias.target);
    put_files(text, module.files);
    if (!names.empty()) put(text, ".section .debug_str\n{{\n{}}}\n", names);
    return text;
}

}  // namespace cudash::ptx
