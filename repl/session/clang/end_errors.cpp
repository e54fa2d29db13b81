#include "repl/session/clang/end_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace cudash::session {
namespace {

bool is_at_end(const Diagnostic& diagnostic) {
    return diagnostic.where.file.starts_with("<<<");
}

/// Behind the last character of `text`.
SourceSpot end_of(std::string_view text, const std::string& name) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
    const auto first = static_cast<unsigned>(std::strtoul(text.data() + std::strlen("#line "), nullptr, 10));
    const auto lines = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
    return {name, first + lines - 1, static_cast<unsigned>(text.size() - text.rfind('\n'))};
}

/// The bracket that clang's note is about: "to match this '{'".
std::string_view open_bracket(const Diagnostic& diagnostic) {
    constexpr std::string_view note = "to match this '";
    if (!diagnostic.message.starts_with("expected '") || diagnostic.notes.empty()) return {};
    const std::string_view said = diagnostic.notes.front().message;
    if (!said.starts_with(note)) return {};
    for (const auto& [bracket, name] : {std::pair{'{', "brace"}, {'(', "parenthesis"}, {'[', "bracket"}})
        if (said[note.size()] == bracket) return name;
    return {};
}

void complete_message(Diagnostic& diagnostic) {
    const std::string_view bracket = open_bracket(diagnostic);
    if (!bracket.empty()) {
        const SourceSpot opened = diagnostic.notes.front().where;
        diagnostic.message += fmt::format("; the {} at line {} is open", bracket, opened.line);
        if (opened.line == diagnostic.where.line) diagnostic.notes.erase(diagnostic.notes.begin());
    } else if (diagnostic.message.starts_with("expected ")) {
        diagnostic.message += ", found the end of the cell";
    }
}

}  // namespace

void place_at_end(std::vector<Diagnostic>& diagnostics, const std::string& name, const std::string& text) {
    // The innermost open bracket; if there is none, the first thing that is missing.
    const auto names_bracket = [](const Diagnostic& each) { return is_at_end(each) && !open_bracket(each).empty(); };
    auto kept = std::find_if(diagnostics.begin(), diagnostics.end(), names_bracket);
    if (kept == diagnostics.end()) kept = std::find_if(diagnostics.begin(), diagnostics.end(), is_at_end);
    if (kept == diagnostics.end()) return;
    kept->where = end_of(text, name);
    complete_message(*kept);
    std::erase_if(diagnostics,
                  [](const Diagnostic& each) { return is_at_end(each) && each.message.starts_with("expected "); });
    for (Diagnostic& each : diagnostics)
        if (is_at_end(each)) each.where = end_of(text, name);
}

}  // namespace cudash::session
