#include "repl/shell/why_not_interpreted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace cudash::shell {
namespace {

using session::Outcome;

/// Mistakes that no compiler takes: that they are told at once is worth more than a second opinion.
constexpr std::array codes_of_mistakes = {"no-main", "undefined-symbol", "device-function-on-host"};

/// A name of the program's own, which no header of a compiler's could have declared.
bool is_own_name(std::string_view name) {
    return std::ranges::none_of(std::array{"_", "cu", "CU", "nv", "NV"},
                                [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_mistake(const Diagnostic& error) {
    if (std::ranges::find(codes_of_mistakes, error.code) != codes_of_mistakes.end()) return true;
    const std::string_view message = error.message;
    if (message.starts_with("expected ';'") || message.ends_with("' file not found")) return true;
    for (const std::string_view undeclared : {"use of undeclared identifier '", "unknown type name '"})
        if (message.starts_with(undeclared)) return is_own_name(message.substr(undeclared.size()));
    return false;
}

}  // namespace

std::optional<Diagnostic> why_not_interpreted(const Outcome& outcome) {
    if (outcome.status != Outcome::Status::compile_error) return std::nullopt;
    const auto is_error = [](const Diagnostic& each) { return each.severity == Diagnostic::Severity::error; };
    const auto first = std::ranges::find_if(outcome.diagnostics, is_error);
    if (first == outcome.diagnostics.end() || is_mistake(*first)) return std::nullopt;
    return *first;
}

std::optional<Diagnostic> why_not_interpreted(worker::Client& client) {
    const Outcome outcome = client.evaluate({session::Cell::Kind::inspect, ":undefined", "undefined", {}});
    if (!outcome.table) return std::nullopt;
    for (const auto& row : outcome.table->rows)
        if (row[1] == "the CUDA driver API")
            return error("driver-api", fmt::format("{} is a function of the CUDA driver API", row[0]));
    return std::nullopt;
}

}  // namespace cudash::shell
