#include "tests/hardware/case_list.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <span>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"
#include "tests/hardware/test_images.h"

namespace cudash::oracle {
namespace {

using virtual_gpu::Form;

/// The file is part of the program: a mistake in it is ours.
[[noreturn]] void mistake(int line, const std::string& what) {
    std::fputs(fmt::format("instruction_cases.txt:{}: {}\n", line, what).c_str(), stderr);
    std::exit(2);
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
    std::vector<std::string> parts;
    for (std::size_t at = 0;;) {
        const std::size_t end = text.find(separator, at);
        parts.emplace_back(text.substr(at, end - at));
        if (end == std::string_view::npos) return parts;
        at = end + separator.size();
    }
}
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::string& word : split(text, " "))
        if (!word.empty()) words.push_back(std::move(word));
    return words;
}
std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
    return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}
void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
}

/// Chooses every combination of the <alternatives> of a text, the leftmost slowest.
void expand(const std::string& text, int line, std::vector<std::string>& all) {
    const std::size_t open = text.find('<');
    if (open == std::string::npos) {
        all.push_back(text);
        return;
    }
    const std::size_t close = text.find('>', open);
    if (close == std::string::npos) mistake(line, "< without >");
    std::string inside = text.substr(open + 1, close - open - 1), name;
    if (const std::size_t equals = inside.find('='); equals != std::string::npos) {
        name = inside.substr(0, equals);
        inside.erase(0, equals + 1);
    }
    for (const std::string& choice : split(inside, ",")) {
        std::string chosen = text.substr(0, open) + choice + text.substr(close + 1);
        if (!name.empty()) {
            if (auto bytes = register_bytes(choice); bytes && *bytes != 0) {
                const unsigned wide = *bytes < 2 ? 2 : *bytes;
                constexpr std::string_view banks[] = {"%h", "%r", "%q", "%o"};
                replace_all(chosen, "@" + name, banks[wide == 2 ? 0 : wide == 4 ? 1 : wide == 8 ? 2 : 3]);
            }
            replace_all(chosen, "$" + name, choice);
        }
        expand(chosen, line, all);
    }
}

std::string after_guard(std::string_view statement) {
    std::string text = trimmed(statement);
    while (!text.empty() && (text.front() == '{' || text.front() == '}')) text = trimmed(text.substr(1));
    if (const std::size_t colon = text.find(": "); colon != std::string::npos && text.find(' ') > colon)
        text = trimmed(text.substr(colon + 1));
    if (text.starts_with('@')) text = trimmed(text.substr(std::min(text.find(' '), text.size())));
    return text;
}

OperandKind operand_of(std::string name, std::span<const ptx::Type> types, int line) {
    OperandKind kind;
    if (name.starts_with('#')) {
        kind.literal = name.substr(1);
        kind.name = name;
        return kind;
    }
    if (name.starts_with('!')) {
        kind.negated = true;
        name.erase(0, 1);
    }
    if (name.starts_with('$') && name.size() == 2) {
        const auto index = static_cast<std::size_t>(name[1] - '0');
        if (index >= types.size()) mistake(line, name + ": there is no such type in the instruction");
        name = virtual_gpu::type_name(types[index]);
    }
    if (name == "pred") name = "p";
    auto bytes = register_bytes(name);
    if (!bytes) mistake(line, fmt::format("{} is not a kind of operand", name));
    kind.name = name;
    kind.bytes = *bytes;
    return kind;
}

/// The operands of an instruction whose line names none.
std::string usual_operands(const virtual_gpu::InstructionRow& row, int line) {
    switch (row.form) {
        case Form::da:
            return "$0 -> $0";
        case Form::dab:
            return "$0 $0 -> $0";
        case Form::dabc:
            return "$0 $0 $0 -> $0";
        case Form::pab:
            return "$0 $0 -> p";
        default:
            mistake(line, fmt::format("{} needs its operands", row.mnemonic));
    }
}

Tolerance tolerance_of(std::string_view text, int line) {
    Tolerance tolerance;
    for (const std::string& part : split(text, "~")) {
        if (part.empty()) continue;
        if (part.starts_with("abs^")) {
            tolerance.absolute = std::exp2(std::strtod(part.c_str() + 4, nullptr));
        } else if (part.starts_with("rel^")) {
            tolerance.relative = std::exp2(std::strtod(part.c_str() + 4, nullptr));
        } else {
            tolerance.ulps = std::strtod(part.c_str(), nullptr);
            if (tolerance.ulps < 0) mistake(line, "a tolerance is not below zero");
        }
    }
    return tolerance;
}

unsigned number_of(std::string_view text, int line) {
    unsigned number = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || number == 0) mistake(line, fmt::format("{} is not a number", text));
    return number;
}

/// Elements of a cross by the number of operands that have values.
unsigned usual_elements(const InstructionCase& test) {
    unsigned operands = 0;
    for (const OperandKind& source : test.sources) operands += source.literal.empty() && source.bytes != 0;
    if (test.tolerance) return 2048;
    return operands <= 1 ? 768 : operands == 2 ? 1024 : 2048;
}

InstructionCase make_case(const std::string& text, int line) {
    InstructionCase test;
    test.line = line;
    const std::size_t end_of_head = text.find('\n');
    std::vector<std::string> fields = split(std::string_view(text).substr(0, end_of_head), " | ");
    test.code = end_of_head == std::string::npos ? std::string() : trimmed(text.substr(end_of_head));
    test.name = trimmed(fields[0]);
    for (std::string_view prefix : {"refused ", "lacking "})
        if (test.name.starts_with(prefix)) {
            test.name.erase(0, prefix.size());
            test.must_be_refused = true;
            test.runs_on_hardware = prefix == "lacking ";
        }
    const bool is_block = !test.code.empty();
    const std::string mnemonic = test.name.substr(0, test.name.find('.'));
    std::vector<std::string> dotted = split(test.name.substr(0, test.name.find(' ')), ".");
    dotted.erase(dotted.begin());
    const virtual_gpu::ParsedModifiers modifiers = virtual_gpu::parse_modifiers(dotted);

    std::string operands = fields.size() > 1 ? trimmed(fields[1]) : std::string();
    const std::string options = fields.size() > 2 ? fields[2] : std::string();
    if (operands.empty() && !is_block) {
        const auto* row = virtual_gpu::find_instruction(mnemonic);
        if (!row) mistake(line, mnemonic + " is not in the table");
        operands = usual_operands(*row, line);
    }
    bool pair = false;
    if (!operands.empty()) {
        const std::size_t arrow = operands.find("->");
        if (arrow == std::string::npos) mistake(line, "sources -> results are expected");
        for (const std::string& word : words_of(operands.substr(0, arrow)))
            test.sources.push_back(operand_of(word, modifiers.types, line));
        for (const std::string& word : words_of(operands.substr(arrow + 2)))
            for (const std::string& part : split(word, "|")) {
                pair |= word.size() != part.size();
                test.results.push_back(operand_of(part, modifiers.types, line));
            }
    }
    unsigned elements = 0;
    for (const std::string& option : words_of(options)) {
        if (option.starts_with('~')) {
            test.tolerance = tolerance_of(option, line);
        } else if (option.starts_with("n=")) {
            elements = number_of(option.substr(2), line);
        } else if (option.starts_with("block=")) {
            test.block = number_of(option.substr(6), line);
        } else if (option.starts_with("grid=")) {
            test.grid = number_of(option.substr(5), line);
        } else if (option.starts_with("mem=")) {
            test.memory = operand_of(option.substr(4), {}, line).name;
        } else {
            mistake(line, option + " is not an option");
        }
    }
    test.uses_memory = test.code.find("%mem") != std::string::npos;
    test.surface_words = surface_words(test.code);
    if (elements == 0 && !is_block) elements = usual_elements(test);
    if (elements != 0) {
        test.block = 256;
        test.grid = (elements + 255) / 256;
    }
    if (is_block) return test;
    // The instruction itself: its results, then its sources.
    std::string list;
    for (std::size_t i = 0; i < test.results.size(); ++i)
        list += fmt::format("{}%d{}", i == 0 ? "" : pair ? "|" : ", ", i);
    for (std::size_t i = 0; i < test.sources.size(); ++i) {
        const OperandKind& source = test.sources[i];
        list +=
            fmt::format("{}{}", list.empty() ? "" : ", ",
                        source.literal.empty() ? fmt::format("{}%s{}", source.negated ? "!" : "", i) : source.literal);
    }
    test.code = fmt::format("{} {};", test.name, list);
    // Lines that differ in operands alone differ in name, too.
    if (fields.size() > 1) {
        std::string plain;
        for (const OperandKind& source : test.sources)
            plain += (plain.empty() ? "" : ",") + std::string(source.negated ? "!" : "") + source.name;
        test.name += " " + plain;
    }
    return test;
}

std::vector<InstructionCase> read_cases() {
    std::vector<InstructionCase> cases;
    std::set<std::string> names;
    const std::vector<std::string> lines = split(case_file(), "\n");
    for (std::size_t at = 0; at < lines.size();) {
        const auto number = static_cast<int>(at) + 1;
        std::string text = lines[at++];
        if (text.empty() || text.starts_with('#')) continue;
        while (at < lines.size() && lines[at].starts_with(' ')) text += "\n" + lines[at++];
        std::vector<std::string> expanded;
        expand(text, number, expanded);
        for (const std::string& one : expanded) {
            cases.push_back(make_case(one, number));
            if (!names.insert(cases.back().name).second)
                mistake(number, "two cases have the name " + cases.back().name);
        }
    }
    return cases;
}

}  // namespace

std::size_t InstructionCase::source_columns() const {
    std::size_t columns = 0;
    for (const OperandKind& source : sources) columns += !source.literal.empty() ? 0 : source.bytes == 16 ? 2 : 1;
    return columns;
}

std::vector<WrittenInstruction> instructions_of(const InstructionCase& test) {
    std::vector<WrittenInstruction> all;
    for (const std::string& statement : split(test.code, ";")) {
        const std::string text = after_guard(statement);
        if (text.empty() || text.starts_with('.')) continue;
        WrittenInstruction one;
        one.text = text.substr(0, text.find_first_of(" \n"));
        std::vector<std::string> parts = split(one.text, ".");
        one.mnemonic = parts.front();
        parts.erase(parts.begin());
        one.modifiers = virtual_gpu::parse_modifiers(parts);
        all.push_back(std::move(one));
    }
    return all;
}

const std::vector<InstructionCase>& all_cases() {
    static const std::vector<InstructionCase> cases = read_cases();
    return cases;
}

}  // namespace cudash::oracle
