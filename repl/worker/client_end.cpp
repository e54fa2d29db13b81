// What is said of a worker or a program that ended before it answered.
#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "repl/exit_codes.h"
#include "repl/session/guard.h"
#include "repl/worker/client.h"

namespace cudash::worker {
namespace {

using session::Outcome;

std::string signal_name(int signal) {
    const char* name = sigabbrev_np(signal);
    return name ? fmt::format("signal {} (SIG{})", signal, name) : fmt::format("signal {}", signal);
}

}  // namespace

std::string Client::describe_end(std::string_view when) const {
    const std::string_view who = settings_.native ? "the program" : "the worker";
    if (WIFSIGNALED(status_)) return fmt::format("{} was ended by {} {}", who, signal_name(WTERMSIG(status_)), when);
    if (WEXITSTATUS(status_) == 127) return fmt::format("{} could not be started", who);
    return fmt::format("{} exited with code {} {}", who, WEXITSTATUS(status_), when);
}

Outcome Client::lost(const std::string& name) {
    Outcome outcome;
    outcome.status = Outcome::Status::lost;
    outcome.sound = false;
    outcome.exit_code = WIFSIGNALED(status_) ? exit_codes::signal_base + WTERMSIG(status_) : WEXITSTATUS(status_);
    if (exceeded_)
        outcome.diagnostics.push_back(*exceeded_);
    else if (WIFEXITED(status_) && WEXITSTATUS(status_) == session::exit_heap_corrupted)
        outcome.diagnostics.push_back(error(
            "heap-corruption",
            fmt::format("{} uses the host's heap, which it or an earlier cell has destroyed: the process ended", name),
            "look for what is written past the end of memory of malloc, new or a std::vector, by a loop or by a "
            "copy (cudaMemcpy2D writes height rows a dpitch apart), and for what is freed twice"));
    else if (WIFEXITED(status_) && WEXITSTATUS(status_) == session::exit_internal_error)
        outcome.diagnostics.push_back(session::internal_error(name));
    // Nobody reads what the program prints: programs in a pipe end so, without a word.
    else if (!(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGPIPE && !settings_.confinement))
        outcome.diagnostics.push_back(error("worker-lost", describe_end(fmt::format("while running {}", name))));
    state_ = State::stopped;
    return outcome;
}

/// A program may end without its handlers: _exit on another thread, a signal.
Outcome Client::ended_program(const std::string& name) {
    Outcome outcome;
    state_ = State::stopped;
    if (WIFEXITED(status_)) {
        outcome.status = Outcome::Status::exited;
        outcome.exit_code = WEXITSTATUS(status_);
        return outcome;
    }
    outcome.status = Outcome::Status::faulted;
    outcome.exit_code = exit_codes::signal_base + WTERMSIG(status_);
    if (WTERMSIG(status_) == SIGPIPE) return outcome;
    outcome.diagnostics.push_back(
        error("program-ended", fmt::format("{} was ended by {}", name, signal_name(WTERMSIG(status_)))));
    return outcome;
}

}  // namespace cudash::worker
