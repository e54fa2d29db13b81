// `:debug`, and what is entered while a launch stands in the debugger.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "repl/shell/commands.h"
#include "repl/shell/commands/command.h"
#include "repl/shell/commands/debug.h"

namespace cudash::shell {
namespace {

/// Commands of the shell that need no session: they work with their colon while a launch is stopped.
constexpr std::array<std::string_view, 4> without_session = {"set", "explain", "shell", "device"};

std::string_view word_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
}

}  // namespace

std::optional<int> debug(Notebook& notebook, std::string_view code) {
    if (code == "last") {
        notebook.debug_last();
        return std::nullopt;
    }
    notebook.debug(code);
    return std::nullopt;
}

std::optional<int> debug_line(Notebook& notebook, std::string_view line) {
    line = trim(line);
    if (line.starts_with(":")) {
        const std::string_view name = word_of(line.substr(1));
        if (name == "debug")
            return notebook.fail(error("in-debugger", "a launch is stopped in the debugger already",
                                       "`continue` or `abort` gives the session back"));
        if (name == "device" && name.size() + 1 != line.size())
            return notebook.fail(error("in-debugger", "the device can't change while a launch is stopped",
                                       "`abort` gives the session back"));
        if (std::ranges::find(without_session, name) != without_session.end()) return run_command(notebook, line);
    }
    notebook.debug_command(line);
    return std::nullopt;
}

std::string_view feed_debugger(Notebook& notebook, std::string_view text) {
    while (notebook.debugging() && !text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 1));
        if (!trim(line).empty()) (void)debug_line(notebook, line);
    }
    return text;
}

}  // namespace cudash::shell
