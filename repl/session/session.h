// The worker's one session: interpreted host code, the device unit it implies, and the CUDA runtime it calls.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "repl/session/completion.h"
#include "repl/session/memory/query.h"
#include "repl/session/outcome.h"
#include "repl/session/trace_line.h"
#include "runtime_wrappers/result.h"

namespace cudash::session {

/// What a running cell tells the front end before its outcome. Text of host printf goes to the process's own stdout.
struct Listener {
    std::function<void(const Diagnostic&)> diagnostic;  ///< a finding, as it happens
    /// `all` 0: how far it is nobody knows; an empty `what` ends it, and returns when it has gone from the screen.
    std::function<void(std::string_view what, std::uint64_t done, std::uint64_t all)> progress;
    std::function<void(const TraceLine&)> told;  ///< a line of a trace
    /// An array of the program's; returns when it has been read and shown.
    std::function<void(const Displayed&)> displayed{};
    /// A launch stands in the debugger: what is to be shown; the next debug_command, or nullopt when nobody is there.
    std::function<std::optional<std::string>(const Outcome&)> debug{};
};

class Session {
public:
    /// Makes the files that every session reads at its start where they are missing. A confined process does it while
    /// it still may; what is wrong create() tells.
    static void prepare(const Options& options);
    static Result<std::unique_ptr<Session>> create(const Options& options, Listener listener);
    virtual ~Session() = default;
    virtual Outcome evaluate(const Cell& cell) = 0;
    /// Memory that is asked for goes to `window` if that has room for it (MemoryBytes::in_window), else into the
    /// answer.
    virtual Answer answer(const Query& query, std::span<std::byte> window) = 0;
    /// Nothing that it does changes the session.
    virtual Completions complete(const Complete& request) = 0;
    /// "virtual h200", for the prompt.
    virtual std::string device_description() const = 0;
};

}  // namespace cudash::session
