#include "repl/shell/batch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "repl/exit_codes.h"
#include "repl/session/libraries.h"
#include "repl/shell/commands.h"
#include "repl/shell/commands/debug.h"
#include "repl/shell/main_call.h"
#include "repl/shell/pasted_text.h"
#include "repl/shell/split_input.h"
#include "repl/shell/text_check.h"
#include "repl/shell/why_not_interpreted.h"
#include "repl/view/note.h"

namespace cudash::shell {

using session::Cell;
using session::Outcome;

namespace {

/// A program that is piped in does nothing unless something calls its main.
void tell_of_main(const Notebook& notebook) {
    constexpr std::string_view name = "main(";
    bool waits = false;
    for (const Cell& cell : notebook.cells()) {
        const bool defines = main_form(cell.text) != MainForm::none;
        const std::size_t last = cell.text.rfind(name);
        const bool calls = last != std::string::npos && (!defines || cell.text.find(name) != last);
        waits = (waits || defines) && !calls;
    }
    if (waits)
        view::note(notebook.display(),
                   "main is defined, and nothing called it: end with main(), or give the file to `cudash run`");
}

}  // namespace

int run_cells(Notebook& notebook, const std::vector<std::string>& texts, bool keep_going) {
    int result = 0;
    bool unchecked = false;  ///< device code may be
    notebook.announce();
    for (const std::string& text : texts) {
        const PlainText plain = plain_text(text);
        for (const std::string& note : plain.notes) notebook.display().messages(note + "\n");
        const std::vector<InputPiece> pieces = split_input(plain.text);
        unchecked |= pieces.size() > 1;
        for (const InputPiece& input : pieces) {
            bool over = false;
            if (notebook.debugging()) {
                const std::string rest(feed_debugger(notebook, input.text));
                if (rest.find_first_not_of(" \t\r\n") != std::string::npos) notebook.evaluate(rest);
            } else if (input.is_command) {
                if (const auto quit = run_command(notebook, input.text)) return *quit;
            } else {
                const auto status = notebook.evaluate(input.text, pieces.size() > 1).status;
                over = status == Outcome::Status::exited || status == Outcome::Status::lost;
            }
            const int code = notebook.code();
            if (over || (code != 0 && !keep_going)) return result ? result : code;
            if (code != 0 && result == 0) result = code;
        }
    }
    if (unchecked && !notebook.check_device_code() && result == 0) result = notebook.code();
    if (result == 0) tell_of_main(notebook);
    return result;
}

ProgramText read_program(const std::vector<std::string>& files, const std::vector<std::string>& folders) {
    ProgramText program;
    for (const std::string& path : files) {
        auto text = read_file(path);
        if (!text) {
            text.error().hint = program.cells.empty() ? "" : "the program's own arguments go after --";
            program.problem = text.error();
            program.code = exit_codes::no_input;
            return program;
        }
        program.problem = check_text(path, *text);
        if (!program.problem && text->find_first_not_of(" \t\r\n") == std::string::npos)
            program.problem = error("empty-file", fmt::format("{} is empty", path));
        if (program.problem) {
            program.code = exit_codes::bad_input;
            return program;
        }
        if (!program.built_first) program.built_first = why_built_first(path, *text, folders);
        // A pipe can be read only once.
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored)) {
            program.cells.push_back({Cell::Kind::file, path, path, {}});
            program.cells.back().more = true;
        } else {
            program.cells.push_back({Cell::Kind::code, path, std::move(*text), {}});
        }
    }
    return program;
}

namespace {

std::string command_to_finding(const std::vector<std::string>& files, const std::vector<std::string>& arguments) {
    // What a shell takes apart, or for something else, stands in quotes.
    const auto word = [](const std::string& text) {
        const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
        if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return " " + text;
        std::string quoted = " '";
        for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return quoted + "'";
    };
    std::string command = "cudash debug";
    for (const std::string& each : files) command += word(each);
    command += " --finding";
    if (!arguments.empty()) command += " --";
    for (const std::string& each : arguments) command += word(each);
    return command;
}

}  // namespace

int run_program(Notebook& notebook, const std::vector<std::string>& files, const std::vector<std::string>& arguments,
                const OtherWay& other_way, const std::vector<std::string>& folders) {
    ProgramText program = read_program(files, folders);
    if (program.problem) {
        notebook.display().show(*program.problem, {});
        return program.code;
    }
    std::vector<Cell>& cells = program.cells;
    const std::optional<Diagnostic>& built_first = program.built_first;
    Cell main{Cell::Kind::run_main, "main", {}, {files.front()}};
    main.arguments.insert(main.arguments.end(), arguments.begin(), arguments.end());
    cells.push_back(std::move(main));
    notebook.announce();
    if (other_way && built_first && notebook.client().wait_ready() && !other_way(*built_first)) return 0;
    for (const Cell& cell : cells) {
        bool taken = false;
        std::optional<Diagnostic> said;  ///< in place of what the cell came to
        if (other_way && cell.kind == Cell::Kind::run_main)
            if (const auto reason = why_not_interpreted(notebook.client())) {
                const auto refusal = other_way(*reason);
                if (!refusal) return 0;
                said = session::undefined_at_link(refusal->message);
                if (said) notebook.display().show(*said, notebook.lines());
                if (said) return exit_codes::failed;
            }
        const Outcome outcome = notebook.evaluate(cell, [&](const Outcome& came_to) {
            const auto reason = other_way ? why_not_interpreted(cell, came_to) : std::nullopt;
            if (!reason) return false;
            auto refusal = other_way(*reason);
            taken = !refusal;
            // Where clang fell, it could say nothing; and what nvcc has compiled, clang was wrong about.
            if (refusal && refusal->code == "nvcc-compile") {
                said = session::undefined_at_link(refusal->message);
                if (!said && reason->code == "compiler-fault") said = refusal;
            }
            return taken || said;
        });
        if (taken) return 0;
        if (said) notebook.display().show(*said, notebook.lines());
        if (said) return exit_codes::failed;
        if (outcome.found && cell.kind == Cell::Kind::run_main && isatty(STDERR_FILENO) == 1)
            view::note(notebook.display(), "`" + command_to_finding(files, arguments) +
                                               "` opens this launch at that moment, as a debugger");
        if (outcome.status != Outcome::Status::ok) return exit_code(outcome);
    }
    return 0;
}

int run_executable(Notebook& notebook, const std::string& name) {
    notebook.announce();
    return exit_code(notebook.evaluate(Cell{Cell::Kind::run_main, name, {}, {}}));
}

}  // namespace cudash::shell
