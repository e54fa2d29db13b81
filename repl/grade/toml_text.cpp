#include "repl/grade/toml_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/shell/suggest.h"

namespace cudash::grade {
namespace {

/// Beyond 2^53 the nearest double; toml++ itself gives nothing there.
std::optional<double> number_of(const toml::node& node) {
    if (const auto* value = node.as_integer()) return static_cast<double>(value->get());
    if (const auto* value = node.as_floating_point()) return value->get();
    return std::nullopt;
}

}  // namespace

void TomlOrigin::problem(unsigned line, std::string message, std::string hint) const {
    Diagnostic diagnostic = error(std::string(code), std::move(message), std::move(hint));
    diagnostic.where = {path, line, 0};
    problems->push_back(std::move(diagnostic));
}

unsigned TomlTable::line(std::string_view key) const {
    const toml::node* node = key.empty() ? nullptr : table_->get(key);
    const unsigned own = (node ? *node : *table_).source().begin.line;
    return origin_->first_line + (own > 0 ? own - 1 : 0);
}

void TomlTable::problem(std::string_view key, std::string message, std::string hint) const {
    origin_->problem(line(key), std::move(message), std::move(hint));
}

const toml::node* TomlTable::find(std::string_view key) {
    known_.emplace_back(key);
    return table_->get(key);
}

void TomlTable::wrong_type(std::string_view key, std::string_view wanted) const {
    problem(key, fmt::format("`{}` must be {}", key, wanted));
}

std::optional<std::string> TomlTable::text(std::string_view key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    if (const auto* value = node->as_string()) return value->get();
    wrong_type(key, "a text in quotation marks");
    return std::nullopt;
}

std::optional<std::string> TomlTable::typed(std::string_view key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    if (const auto* value = node->as_string()) return value->get();
    if (const auto* value = node->as_integer()) return fmt::format("{}", value->get());
    if (const auto* value = node->as_floating_point()) return fmt::format("{}", value->get());
    wrong_type(key, "a text in quotation marks, or a number");
    return std::nullopt;
}

std::optional<double> TomlTable::number(std::string_view key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    if (const auto value = number_of(*node)) return value;
    wrong_type(key, "a number");
    return std::nullopt;
}

std::optional<bool> TomlTable::flag(std::string_view key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    if (const auto* value = node->as_boolean()) return value->get();
    wrong_type(key, "true or false");
    return std::nullopt;
}

std::optional<std::vector<std::string>> TomlTable::texts(std::string_view key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    std::vector<std::string> result;
    const toml::array* array = node->as_array();
    bool all_texts = array != nullptr;
    if (array)
        for (const toml::node& element : *array) {
            if (const auto* value = element.as_string())
                result.push_back(value->get());
            else
                all_texts = false;
        }
    if (all_texts) return result;
    wrong_type(key, "a list of texts in quotation marks");
    return std::nullopt;
}

std::optional<std::vector<double>> TomlTable::numbers(std::string_view key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    std::vector<double> result;
    const toml::array* array = node->as_array();
    bool all_numbers = array != nullptr;
    if (array)
        for (const toml::node& element : *array) {
            if (const auto value = number_of(element))
                result.push_back(*value);
            else
                all_numbers = false;
        }
    if (all_numbers) return result;
    wrong_type(key, "a list of numbers");
    return std::nullopt;
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
    std::vector<TomlTable> result;
    const toml::node* node = find(key);
    if (!node) return result;
    const toml::array* array = node->as_array();
    bool all_tables = array != nullptr;
    if (array)
        for (const toml::node& element : *array) {
            if (const auto* table = element.as_table())
                result.emplace_back(*table, *origin_);
            else
                all_tables = false;
        }
    if (!all_tables) wrong_type(key, fmt::format("a list of tables, each under [[{}]]", key));
    return result;
}

std::string TomlTable::required_text(std::string_view key) {
    const bool there = has(key);
    const auto value = text(key);
    if (!there) problem({}, fmt::format("`{}` is missing", key));
    if (value && value->find_first_not_of(" \t\r\n") == std::string::npos)
        problem(key, fmt::format("`{}` is empty", key));
    return value.value_or(std::string());
}

void TomlTable::finish() const {
    for (const auto& [key, value] : *table_) {
        const std::string_view name = key.str();
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        const std::vector<std::string_view> candidates(known_.begin(), known_.end());
        const auto meant = shell::suggest(name, candidates);
        std::string all;
        for (const std::string& each : known_) all += (all.empty() ? "" : ", ") + each;
        origin_->problem(origin_->first_line + std::max(key.source().begin.line, 1u) - 1,
                         fmt::format("there is no key `{}` here", name),
                         meant ? fmt::format("did you mean `{}`?", *meant) : "there are " + all);
    }
}

std::string hint_among(std::string_view word, const std::vector<std::string_view>& names, std::string otherwise) {
    const auto meant = shell::suggest(word, names);
    return meant ? fmt::format("did you mean `{}`?", *meant) : otherwise;
}

std::optional<toml::table> parse_toml(std::string_view text, const TomlOrigin& origin) {
    toml::parse_result result = toml::parse(text);
    if (result) return std::move(result).table();
    const toml::parse_error& failure = result.error();
    origin.problem(origin.first_line + std::max(failure.source().begin.line, 1u) - 1,
                   fmt::format("this is not TOML: {}", failure.description()));
    return std::nullopt;
}

}  // namespace cudash::grade
