#include "repl/grade/verify_warnings.h"

#include <fmt/format.h>

#include <algorithm>

namespace cudash::grade {
namespace {

/// An average or a part of something, which work that nobody needs makes better.
bool is_ratio(std::string_view metric) {
    return metric.ends_with(".ratio") || metric.ends_with(".pct") || metric.find("_pct") != std::string_view::npos;
}

bool is_needed(const Checks& checks, const std::string& name) {
    return std::ranges::any_of(
        checks.checks, [&](const Check& check) { return std::ranges::find(check.needs, name) != check.needs.end(); });
}

}  // namespace

std::vector<Diagnostic> warnings_about(const Checks& checks) {
    std::vector<Diagnostic> warnings;
    const auto warn = [&](const Check& check, std::string message, std::string hint) {
        Diagnostic& warning = warnings.emplace_back(error("weak-check", std::move(message), std::move(hint)));
        warning.severity = Diagnostic::Severity::warning;
        warning.where = {checks.path, check.line, 0};
    };
    for (const Check& check : checks.checks) {
        const bool is_guard = is_needed(checks, check.name);
        if (check.points == 0 && !is_guard && check.name != compiles)
            warn(check,
                 fmt::format("the check \"{}\" has 0 points, and no other check needs it: who fails it loses nothing",
                             check.name),
                 "give it points, or name it in the `needs` of the checks that it guards");
        if (is_ratio(check.metric) && (check.points > 0 || is_guard))
            warn(check, fmt::format("{} is a ratio: more accesses that nobody needs make it better", check.metric),
                 "count with the metric's .sum");
    }
    return warnings;
}

}  // namespace cudash::grade
