// `:set`.
#include <fmt/format.h>

#include <vector>

#include "repl/shell/commands.h"
#include "repl/shell/commands/command.h"

namespace cudash::shell {
namespace {

using settings::Setting;

void show_settings(Notebook& notebook, const std::vector<const Setting*>& rows) {
    notebook.display().show(settings::listed(notebook.settings(), rows));
}

/// What has a command of its own is changed by that: the worker must hear of it.
std::string command_for(const Setting& setting, std::string_view value) {
    const bool is_flag = std::holds_alternative<bool settings::Values::*>(setting.value);
    return fmt::format(":{} {}", setting.command, is_flag ? (value == "true" ? "on" : "off") : value);
}

}  // namespace

std::optional<int> set(Notebook& notebook, std::string_view argument) {
    // `:device` and others may have changed some since.
    notebook.settings().take(notebook.client().settings());
    std::vector<const Setting*> rows;
    const std::string_view name = argument.substr(0, argument.find_first_of(" \t="));
    if (argument.empty()) {
        for (const Setting& row : settings::table()) rows.push_back(&row);
        show_settings(notebook, rows);
        return std::nullopt;
    }
    const auto found = settings::find(name);
    const auto fail = [&](Diagnostic problem) {
        problem.severity = Diagnostic::Severity::error;
        return notebook.fail(problem);
    };
    if (const auto* unknown = std::get_if<Diagnostic>(&found)) return fail(*unknown);
    const Setting& setting = *std::get<const Setting*>(found);
    std::string_view value = trim(argument.substr(name.size()));
    if (value.starts_with('=')) value = trim(value.substr(1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    if (value.empty() && argument.size() == name.size()) {
        show_settings(notebook, {&setting});
        return std::nullopt;
    }
    settings::Settings changed = notebook.settings();
    if (auto problem = changed.set(setting, value, settings::Source::session)) return fail(*problem);
    if (!setting.command.empty()) {
        const auto code = run_command(notebook, command_for(setting, value));
        if (code || notebook.code() != 0) return code;
    }
    if (setting.value == Setting::Member(&settings::Values::timeout))
        notebook.client().set_timeout(settings::milliseconds(changed.values().timeout));
    notebook.use(std::move(changed));
    return std::nullopt;
}

}  // namespace cudash::shell
