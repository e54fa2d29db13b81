#include "repl/shell/debug_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include "repl/exit_codes.h"
#include "repl/shell/batch.h"
#include "repl/shell/commands/debug.h"
#include "repl/shell/input/input.h"
#include "repl/shell/why_not_interpreted.h"

namespace cudash::shell {
namespace {

using session::Cell;
using session::Outcome;

Outcome failed(Notebook& notebook, const Diagnostic& problem, int code) {
    notebook.display().show(problem, notebook.lines());
    Outcome outcome = session::refuse(problem);
    outcome.exit_code = code;
    return outcome;
}

/// The debugger needs the interpreter, which is not what a program can always have.
Outcome needs_nvcc(Notebook& notebook, const Diagnostic& reason) {
    Diagnostic problem = error(
        "can't-debug", "this program needs nvcc: the interpreter, with which it would be debugged, doesn't take it",
        "`cudash run` runs it, with all checks");
    problem.notes.push_back({"it can't be interpreted: " + reason.message, reason.where});
    return failed(notebook, problem, exit_codes::bad_input);
}

/// What clang refuses, nvcc may take.
void tell_of_nvcc(Notebook& notebook) {
    Diagnostic told = error("can't-debug", "the debugger needs a program that the interpreter takes",
                            "`cudash run` also asks nvcc; what nvcc -G -g builds, `cudash exec --debug` debugs");
    told.severity = Diagnostic::Severity::note;
    notebook.display().show(told, notebook.lines());
}

/// Commands from the terminal or from stdin, as long as a launch waits for them.
void take_commands(Notebook& notebook) {
    const auto input = standard_input(notebook.display(), {});
    input->set_by_lines(true);
    while (notebook.debugging()) {
        const Entry entry = input->read("(debug) ");
        if (entry.kind == Entry::Kind::interrupt) continue;
        if (entry.kind == Entry::Kind::end) {
            if (input->is_terminal()) notebook.display().messages("\n");
            notebook.debug_command("abort");
            return;
        }
        input->remember(entry.text);
        if (entry.text.find_first_not_of(" \t\r\n") == std::string::npos) {
            if (input->is_terminal()) notebook.debug_command({});
            continue;
        }
        (void)feed_debugger(notebook, entry.text);
    }
}

/// Whether one of the breakpoints could be set.
bool set_breaks(Notebook& notebook, const std::vector<std::string>& breaks) {
    bool all = true;
    for (const std::string& each : breaks) all &= notebook.debug_command("break " + each).diagnostics.empty();
    return all;
}

std::string memory_for(Notebook& notebook) {
    return fmt::format("memory={}", notebook.settings().values().debug_memory);
}

/// The program stands before its main, or `begun` says why not.
int converse(Notebook& notebook, const Outcome& begun, const std::vector<std::string>& breaks, bool finding) {
    if (begun.status != Outcome::Status::stopped) return exit_code(begun);
    if (!set_breaks(notebook, breaks)) {
        notebook.client().stop();
        return exit_codes::usage;
    }
    notebook.debug_command(finding ? "finding" : breaks.empty() ? "launch" : "continue");
    take_commands(notebook);
    return notebook.code();
}

int debug_cells(Notebook& notebook, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        if (&text != &texts.back()) {
            notebook.evaluate(text);
            if (notebook.code() != 0) return notebook.code();
            continue;
        }
        notebook.debug(text);
        take_commands(notebook);
    }
    return notebook.code();
}

}  // namespace

Outcome begin_debugging(Notebook& notebook, const std::vector<std::string>& files,
                        const std::vector<std::string>& arguments) {
    const ProgramText program = read_program(files);
    if (program.problem) return failed(notebook, *program.problem, program.code);
    notebook.announce();
    for (const Cell& cell : program.cells) {
        std::optional<Diagnostic> reason;
        const Outcome outcome = notebook.evaluate(cell, [&](const Outcome& came_to) {
            reason = why_not_interpreted(cell, came_to);
            return reason && reason->code == "compiler-fault";
        });
        if (outcome.status == Outcome::Status::ok) continue;
        if (reason && reason->code == "compiler-fault") return needs_nvcc(notebook, *reason);
        if (reason) tell_of_nvcc(notebook);
        return outcome;
    }
    if (const auto reason = why_not_interpreted(notebook.client())) return needs_nvcc(notebook, *reason);
    Cell main{Cell::Kind::debug_main, "main", memory_for(notebook), {files.front()}};
    main.arguments.insert(main.arguments.end(), arguments.begin(), arguments.end());
    return notebook.evaluate(main);
}

int debug_program(Notebook& notebook, const DebuggedProgram& program) {
    if (!program.code.empty()) return debug_cells(notebook, program.code);
    return converse(notebook, begin_debugging(notebook, program.files, program.arguments), program.breaks,
                    program.finding);
}

int debug_executable(Notebook& notebook, const std::string& name, const std::vector<std::string>& breaks,
                     bool finding) {
    notebook.announce();
    return converse(notebook, notebook.evaluate(Cell{Cell::Kind::debug_main, name, memory_for(notebook), {}}), breaks,
                    finding);
}

}  // namespace cudash::shell
