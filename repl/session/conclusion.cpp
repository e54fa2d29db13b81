// How what ran has ended: values, faults, and what the device says of it.
#include "repl/session/interpreted_session.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <span>

#include "repl/session/call_place.h"
#include "repl/session/fault.h"

namespace cudash::session {

void InterpretedSession::conclude(const GuardedEnd& end, const Cell& cell, Outcome& outcome) {
    using Kind = GuardedEnd::Kind;
    // A call of what is defined nowhere traps before it does anything.
    auto missing = end.kind == Kind::signal ? engine_->take_undefined() : std::nullopt;
    outcome.sound = end.sound || missing;
    if (end.kind == Kind::signal || end.kind == Kind::interrupted) engine_->forget_what_began();
    session::conclude(end, outcome);
    if (end.kind == Kind::signal) {
        flush_output();
        outcome.diagnostics.push_back(fault(end, cell, std::move(missing)));
    } else if (end.kind == Kind::exception) {
        outcome.diagnostics.push_back(uncaught_exception(end));
        outcome.diagnostics.back().where.file = cell.name;
    }
    conclude_device(cell, outcome);
}

void InterpretedSession::conclude_device(const Cell& cell, Outcome& outcome) {
    if (outcome.status == Outcome::Status::interrupted) runtime_->abandon();
    // Host functions that wait in streams run now.
    const auto end = Guard::run([this] { (void)runtime_->synchronize(); });
    if (end.kind != GuardedEnd::Kind::returned && outcome.status == Outcome::Status::ok) {
        conclude(end, cell, outcome);
        return;
    }
    const int sticky = runtime_->sticky_error();
    if (sticky == 0) return;
    if (outcome.status == Outcome::Status::ok) {
        outcome.status = Outcome::Status::device_error;
        outcome.exit_code = 1;
    }
    if (cell.kind == Cell::Kind::run_main || cell.kind == Cell::Kind::debug_main) return;
    if (runtime_->is_virtual() && options_.restore_after_sticky) {
        runtime_->recover();
    } else if (!runtime_->is_virtual()) {
        outcome.sound = false;
        outcome.diagnostics.push_back(
            error("context-lost",
                  "the error above ended the CUDA context of this process: every further CUDA "
                  "call would return it",
                  "`:replay` runs the session again in a new process"));
    }
}

/// A fault on a thread that a cell has started ends the process.
void InterpretedSession::tell_fault_on_thread(const GuardedEnd& end) {
    // The session's own thread: it is clang that fell.
    if (gettid() == getpid()) return;
    // The thread may have held a lock of the heap's: then nothing can be told.
    constexpr unsigned seconds = 5;
    std::signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    Cell cell;
    cell.name = current_cell_;
    if (listener_.diagnostic) listener_.diagnostic(fault(end, cell, engine_->take_undefined()));
    flush_output();
}

Diagnostic InterpretedSession::fault(const GuardedEnd& end, const Cell& cell, std::optional<Diagnostic> missing) const {
    if (end.internal) {
        Diagnostic problem = internal_error(cell.name, strsignal(end.signal));
        if (const auto place = own_place(*engine_, std::span(end.stack).first(end.depth))) problem.where = spot(*place);
        return problem;
    }
    const bool trapped = end.signal == SIGILL || end.signal == SIGTRAP;
    Diagnostic problem = missing && trapped ? std::move(*missing) : describe_fault(end, runtime_.get());
    problem.where.file = cell.name;
    if (const auto place = own_place(*engine_, std::span(end.stack).first(end.depth))) problem.where = spot(*place);
    if (problem.code == "null-pointer") {
        const bool runs_main = cell.kind == Cell::Kind::run_main || cell.kind == Cell::Kind::debug_main;
        // Cells of one line go without its number.
        const std::string line = source_line(problem.where.file, std::max(problem.where.line, 1u));
        std::string hint =
            help_with_null(line, runs_main ? std::optional(cell.arguments.size()) : std::optional<std::size_t>());
        if (!hint.empty()) problem.hint = std::move(hint);
    }
    return problem;
}

}  // namespace cudash::session
