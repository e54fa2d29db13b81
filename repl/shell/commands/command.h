// A row of the table of commands, and what the families of handlers share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "repl/shell/notebook.h"
#include "repl/trim.h"

namespace cudash::shell {

/// The exit code if the shell ends with it. A handler that fails says so with Notebook::fail.
using Handler = std::optional<int> (*)(Notebook&, std::string_view argument);

/// What Tab offers in a command's argument (shell/line_completion.h); besides the words that its row lists.
enum class Completes : std::uint8_t {
    nothing,
    code,            ///< C++ names of the session
    kernel,          ///< of those, kernels
    code_then_file,  ///< the first word is code, the others are files or code
    file,
    command,
    device,
    checkers,
    explanation,  ///< codes of findings
    setting,
    lesson,
    profile  ///< what :profile takes
};

struct Command {
    std::string_view name, argument, help;
    Handler handler;  ///< nullptr: the session answers it (session/inspect.h)
    Completes completes = Completes::nothing;
    std::string_view words = {};    ///< with spaces between
    std::string_view example = {};  ///< lines for `:help NAME`
};
/// The table.
std::span<const Command> commands();

// Memory: show.cpp, files.cpp.
std::optional<int> show(Notebook& notebook, std::string_view argument);
std::optional<int> diff(Notebook& notebook, std::string_view argument);
std::optional<int> save(Notebook& notebook, std::string_view argument);
std::optional<int> load(Notebook& notebook, std::string_view argument);
// The cells so far: cells.cpp, session_file.cpp.
std::optional<int> history(Notebook& notebook, std::string_view argument);
std::optional<int> undo(Notebook& notebook, std::string_view argument);
std::optional<int> redo(Notebook& notebook, std::string_view argument);
std::optional<int> edit(Notebook& notebook, std::string_view argument);
std::optional<int> save_session(Notebook& notebook, std::string_view argument);
std::optional<int> open_file(Notebook& notebook, std::string_view argument);
// Tools: tools.cpp.
std::optional<int> about(Notebook& notebook, std::string_view argument);
std::optional<int> lesson(Notebook& notebook, std::string_view argument);
std::optional<int> complete_text(Notebook& notebook, std::string_view argument);
std::optional<int> devices(Notebook& notebook, std::string_view argument);
std::optional<int> explain_code(Notebook& notebook, std::string_view argument);
std::optional<int> run_system(Notebook& notebook, std::string_view argument);
std::optional<int> trace(Notebook& notebook, std::string_view argument);
std::optional<int> launches(Notebook& notebook, std::string_view argument);
// debug.cpp.
std::optional<int> debug(Notebook& notebook, std::string_view argument);
// set.cpp.
std::optional<int> set(Notebook& notebook, std::string_view argument);

}  // namespace cudash::shell
