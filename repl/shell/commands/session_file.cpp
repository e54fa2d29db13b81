// Sessions as files: `:save-session` and `:open`.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "repl/shell/commands.h"
#include "repl/shell/commands/command.h"
#include "repl/shell/split_input.h"
#include "repl/shell/text_check.h"
#include "repl/shell/write_file.h"

namespace cudash::shell {
std::optional<int> save_session(Notebook& notebook, std::string_view argument) {
    const std::string path(argument);
    std::string text;
    if (path.ends_with(".cudash")) {
        text = notebook.transcript();
    } else if (path.ends_with(".cu")) {
        std::string request = "program";
        for (const session::Cell& cell : notebook.accepted_cells()) request += fmt::format(" {}", cell.name.substr(5));
        const session::Outcome outcome =
            notebook.client().evaluate({session::Cell::Kind::inspect, ":save-session", request, {}});
        if (outcome.status != session::Outcome::Status::ok)
            return notebook.fail(outcome.diagnostics.empty() ? error("worker-lost", "the session gave no answer")
                                                             : outcome.diagnostics.front());
        text = outcome.text;
    } else {
        return notebook.fail(error("bad-argument", fmt::format("'{}' names no kind of file", path),
                                   ":save-session FILE.cu writes a program, FILE.cudash a transcript"));
    }
    if (const std::string why = write_file(path, text); !why.empty())
        return notebook.fail(error("file", fmt::format("{} can't be written: {}", path, why)));
    const std::size_t count = notebook.accepted();
    notebook.display().results(fmt::format("{}: {} {}\n", path, count, count == 1 ? "cell" : "cells"));
    return std::nullopt;
}

namespace {

/// What was typed in a transcript: each prompt begins a cell or is a command.
std::vector<InputPiece> typed_in(std::string_view transcript) {
    std::vector<InputPiece> pieces;
    while (!transcript.empty()) {
        const std::size_t end = std::min(transcript.size(), transcript.find('\n'));
        const std::string_view line = transcript.substr(0, end);
        transcript.remove_prefix(std::min(transcript.size(), end + 1));
        const std::string_view typed = line.substr(std::min<std::size_t>(line.size(), 3));
        if (line.starts_with(">> ")) pieces.push_back({is_command(typed), std::string(typed) + "\n"});
        if ((line.starts_with(".. ") || line == "..") && !pieces.empty())
            pieces.back().text += std::string(typed) + "\n";
    }
    return pieces;
}

}  // namespace

std::optional<int> open_file(Notebook& notebook, std::string_view argument) {
    const std::string path(argument);
    auto text = read_file(path);
    if (!text) return notebook.fail(text.error());
    if (const auto problem = check_text(path, *text)) return notebook.fail(*problem);
    std::size_t done = 0;
    for (const InputPiece& input : path.ends_with(".cudash") ? typed_in(*text) : split_input(*text)) {
        if (input.is_command) {
            std::string_view command = trim(input.text);
            if (command.starts_with(":time ")) command = trim(command.substr(6));
            if (command == ":open" || command.starts_with(":open "))
                return notebook.fail(error("bad-argument", "a file that is opened opens no other"));
            if (const auto code = run_command(notebook, input.text)) return code;
        } else {
            notebook.evaluate(input.text, true);
        }
        if (notebook.code() != 0) {
            notebook.display().messages(
                fmt::format("{}: stopped after {} {}\n", path, done, done == 1 ? "cell" : "cells"));
            return std::nullopt;
        }
        ++done;
    }
    (void)notebook.check_device_code();
    return std::nullopt;
}

}  // namespace cudash::shell
