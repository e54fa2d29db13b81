// Cells in a walk: those of the lesson and those that a student types, recorded and, when the lesson goes on, run
// again.
#include <fmt/format.h>

#include <algorithm>

#include "repl/lesson/walk.h"
#include "repl/shell/commands/debug.h"
#include "repl/shell/document_cells.h"
#include "repl/shell/split_input.h"
#include "repl/view/note.h"

namespace cudash::lesson {

using session::Outcome;

namespace {

/// What it declared is there, and what it did was done, up to its end or to an error.
bool has_run(const Outcome& outcome) {
    return outcome.status == Outcome::Status::ok ||
           (outcome.sound &&
            (outcome.status == Outcome::Status::faulted || outcome.status == Outcome::Status::device_error));
}

/// It did not end by itself, or took the session with it: that is not done again.
bool was_stopped(const Outcome& outcome) {
    return outcome.status == Outcome::Status::interrupted || outcome.status == Outcome::Status::lost ||
           outcome.status == Outcome::Status::exited;
}

}  // namespace

void Walk::run_demonstration(const Demonstration& cell) {
    if (cell.needs_virtual && notebook_.client().wait_ready() && !notebook_.client().is_virtual()) {
        line("(This needs the virtual GPU, where it prints:)");
        for (const std::string& each : cell.expected) line(each);
        return;
    }
    if (cell.debugs) return run_debugging(cell);
    if (notebook_.debugging()) (void)shell::debug_line(notebook_, "abort");
    const bool error_is_meant = std::ranges::any_of(
        cell.expected, [](const std::string& each) { return each.find(": error: ") != std::string::npos; });
    show_cell_number(cell.code);
    if (run_code(cell.code, Origin::demonstration) == Outcome::Status::compile_error && !error_is_meant)
        say("This cell needs what an earlier one of the lesson defines. If you skipped that, :back leads to it; "
            "`:reset lesson` begins again.");
}

/// The launch stays stopped between one such step and the next, and the student may look around in it.
void Walk::run_debugging(const Demonstration& cell) {
    if (!notebook_.debugging() && !cell.code.starts_with(":debug")) {
        line("(The launch is not in the debugger any more; :back leads to the step that stops it. This would print:)");
        for (const std::string& each : cell.expected) line(each);
        return;
    }
    const std::size_t before = notebook_.accepted();
    if (notebook_.debugging() && cell.code.starts_with(":debug")) (void)shell::debug_line(notebook_, "abort");
    (void)shell::run_document_cells(notebook_, cell.code);
    keep_up(before);
}

/// Findings name it.
void Walk::show_cell_number(const std::string& code) const {
    const auto pieces = shell::cut_at_commands(code);
    const auto count = std::ranges::count(pieces, false, &shell::InputPiece::is_command);
    if (count == 0) return;
    const std::size_t first = notebook_.cells().size() + 1;
    const std::string text = count == 1
                                 ? fmt::format("cell {}", first)
                                 : fmt::format("cells {} to {}", first, first + static_cast<std::size_t>(count) - 1);
    display_.results(display_.style_of_results.dim(text) + "\n");
}

Outcome::Status Walk::run_code(const std::string& code, Origin origin) {
    shown_.clear();
    const std::size_t before = notebook_.accepted();
    const Outcome outcome = shell::run_document_cells(notebook_, code);
    const bool ok = !was_stopped(outcome) && (notebook_.accepted() > before || has_run(outcome));
    after(outcome);
    const bool typed = origin == Origin::typed;
    note({typed ? Action::Kind::cell : Action::Kind::demonstration, {}, {}, code, shown_, ok});
    if (typed) save();
    const auto* question = typed && !is_settled() ? step_as<Question>() : nullptr;
    if (question && outcome.value) judge_value(*question, code, *outcome.value);
    if (question && !outcome.value && !ok) remind_of_kind(*question);
    return outcome.status;
}

void Walk::after(const Outcome& outcome) {
    const view::Display& display = notebook_.display();
    if (outcome.status == Outcome::Status::exited)
        display.messages(fmt::format("exit({}) was called; the lesson goes on\n", outcome.exit_code));
    if (outcome.status == Outcome::Status::lost && notebook_.client().state() == worker::Client::State::stopped) {
        view::note(display, "Your variables are gone. `:replay` runs your cells again.");
        notebook_.client().start();
    }
    if (display.fresh_line) display.fresh_line();
}

/// The session is as it was when the student left: all cells that ran then, to their end or into an error, and were not
/// taken back, run again, unseen. Of a demonstration of several cells, :undo takes back all.
void Walk::replay() {
    std::vector<const Action*> cells;
    for (const Action& action : at_.actions)
        if (action.ok && (action.kind == Action::Kind::demonstration || action.kind == Action::Kind::cell))
            cells.push_back(&action);
    if (cells.empty()) return;
    display_.messages(fmt::format("running {} earlier {} again\n", cells.size(), cells.size() == 1 ? "cell" : "cells"));
    quiet_ = true;
    std::size_t done = 0;
    for (const Action* cell : cells) {
        shown_.clear();
        const Outcome outcome = shell::run_document_cells(notebook_, cell->text);
        if (was_stopped(outcome)) break;
        ++done;
    }
    quiet_ = false;
    if (done < cells.size()) {
        display_.messages(fmt::format("stopped after {} of them; the session has only these\n", done));
        if (notebook_.client().state() == worker::Client::State::stopped) notebook_.client().start();
    }
}

}  // namespace cudash::lesson
