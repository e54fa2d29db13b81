#include "repl/grade/course/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "repl/grade/toml_text.h"

namespace cudash::grade {
namespace {

/// A name as C++ has it, from the beginning of `text` to `}}`; empty: there is none.
std::string_view name_in_braces(std::string_view text) {
    const std::size_t end = text.find("}}");
    if (end == std::string_view::npos) return {};
    const std::string_view name = text.substr(0, end);
    const bool is_name = !name.empty() &&
                         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; }) &&
                         !std::isdigit(static_cast<unsigned char>(name.front()));
    return is_name ? name : std::string_view();
}

}  // namespace

std::string Parameter::value(const Key& key) const {
    const std::uint64_t drawn = keyed_hash(key, "parameter " + name);
    if (!listed.empty()) return listed[drawn % listed.size()];
    const auto count = static_cast<std::uint64_t>((to - from) / step) + 1;
    return std::to_string(from + static_cast<long long>(drawn % count) * step);
}

std::vector<Parameter> parse_parameters(const std::string& path, std::string_view text,
                                        std::vector<Diagnostic>& problems) {
    std::vector<Parameter> parameters;
    const TomlOrigin origin{path, 1, &problems, "bad-assignment"};
    const auto parsed = parse_toml(text, origin);
    if (!parsed) return parameters;
    for (const auto& [key, node] : *parsed) {
        Parameter parameter;
        parameter.name = std::string(key.str());
        const unsigned line = node.source().begin.line;
        const auto problem = [&](const std::string& message) {
            origin.problem(line, fmt::format("`{}`: {}", parameter.name, message),
                           "a parameter is a list of values, or { from = 1, to = 9, step = 2 }");
        };
        if (const toml::array* list = node.as_array()) {
            for (const auto& each : *list) {
                if (const auto word = each.value_exact<std::string>())
                    parameter.listed.push_back(*word);
                else if (const auto whole = each.value_exact<std::int64_t>())
                    parameter.listed.push_back(std::to_string(*whole));
                else if (const auto number = each.value<double>(); number && each.is_number())
                    parameter.listed.push_back(fmt::format("{}", *number));
                else
                    problem("expected numbers or texts in the list");
            }
            if (list->empty()) problem("the list has no values");
        } else if (const toml::table* range = node.as_table()) {
            TomlTable table(*range, origin);
            const auto whole = [&](std::string_view name, double otherwise) {
                return static_cast<long long>(std::clamp(table.number(name).value_or(otherwise), -1e15, 1e15));
            };
            parameter.from = whole("from", 0);
            parameter.to = whole("to", -1);
            parameter.step = whole("step", 1);
            table.finish();
            if (parameter.step < 1 || parameter.to < parameter.from)
                problem("`from` is at most `to`, and `step` at least 1");
        } else {
            problem("expected a list or a range");
        }
        parameters.push_back(std::move(parameter));
    }
    if (parameters.empty() && problems.empty()) origin.problem(1, "there is no parameter");
    return parameters;
}

ParameterValues values_of(const std::vector<Parameter>& parameters, const Key& seed) {
    ParameterValues values;
    for (const Parameter& each : parameters) values[each.name] = each.value(seed);
    return values;
}

std::string filled_in(std::string_view text, const ParameterValues& values, const std::string& path,
                      std::vector<Diagnostic>& problems) {
    std::string result;
    unsigned line = 1;
    while (!text.empty()) {
        if (text.front() == '\n') ++line;
        const std::string_view name = text.starts_with("{{") ? name_in_braces(text.substr(2)) : std::string_view();
        if (name.empty()) {
            result += text.front();
            text.remove_prefix(1);
            continue;
        }
        const auto found = values.find(std::string(name));
        if (found == values.end()) {
            Diagnostic& told = problems.emplace_back(
                error("bad-assignment", fmt::format("there is no parameter {}", name), "parameters.toml lists them"));
            told.where = {path, line, 0};
        } else {
            result += found->second;
        }
        text.remove_prefix(name.size() + 4);
    }
    return result;
}

}  // namespace cudash::grade
