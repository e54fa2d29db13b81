// Runs interpreted code so that whatever it does comes back to the session: signals, uncaught exceptions, exit(),
// Ctrl-C.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// Of a worker whose heap is destroyed, so that nothing can run in it any more: as of a program that abort() ended.
inline constexpr int exit_heap_corrupted = 134;

/// Of a worker in which cudash itself faulted on a thread that has nowhere to come back to (sysexits.h: EX_SOFTWARE).
inline constexpr int exit_internal_error = 70;

/// How a guarded run ended.
struct GuardedEnd {
    enum class Kind : std::uint8_t { returned, signal, exception, exited, interrupted };
    Kind kind = Kind::returned;
    int signal = 0;
    std::uint64_t address = 0;  ///< of the access that faulted
    /// The instruction that faulted and those that called it, innermost first.
    std::array<std::uint64_t, 32> stack{};
    std::size_t depth = 0;
    bool stack_overflow = false;
    bool internal = false;                 ///< the virtual GPU faulted: a defect of cudash, not of the code it ran
    bool heap_corrupted = false;           ///< malloc or free said so
    std::array<char, 96> said_at_abort{};  ///< what the C library said before it called abort()
    int exit_code = 0;
    bool quick = false;  ///< _exit() and its like: nothing is flushed, and no handlers run
    std::string what;    ///< of an exception: its type and message
    /// False if the code was stopped inside the session's own functions, whose state may be half changed.
    bool sound = true;
};

/// The virtual GPU faulted while it ran `cell`. `how` is the signal's text, "" where it is not known.
inline Diagnostic internal_error(const std::string& cell, const std::string& how = {}) {
    Diagnostic problem = error(
        "internal-error",
        "cudash failed while it ran " + cell + (how.empty() ? "" : ": " + how) + " in the virtual GPU",
        "this is a defect of cudash, not of your code; please report it with the cell's text and what `cudash doctor` "
        "prints");
    problem.where.file = cell;
    return problem;
}

class Guard {
public:
    /// Installs the signal handlers; once per process. `on_interrupt` is called from the SIGINT handler. A library's
    /// code has two seconds to return after Ctrl-C, or half a minute while `is_ending` says that it will.
    static void install(void (*on_interrupt)() noexcept, bool (*is_ending)() noexcept = nullptr);
    /// Calls `code` on this thread. Only one run at a time.
    static GuardedEnd run(const std::function<void()>& code);
    /// Calls the handlers that interpreted code gave to atexit, last first, as the end of a program does.
    static GuardedEnd run_exit_handlers();
    /// In a child that the code forked: ends it as the operating system would. Otherwise does nothing. `code` is what
    /// main returned.
    static void end_forked_child(const GuardedEnd& end, int code);
    /// Ends the run with this exit code, as exit() does in interpreted code. On another thread than the run's, it ends
    /// the process.
    [[noreturn]] static void leave(int exit_code);
    /// Called, in the handler, for a fault on another thread than the run's, before it ends the process.
    static void on_other_thread(void (*tell)(const GuardedEnd&));
    /// Ctrl-C does from now on what it does to any program.
    static void leave_interrupts();
    /// While `held`, Ctrl-C calls the hook of install() and nothing else: the run goes on.
    static void hold_interrupts(bool held);
    /// True if Ctrl-C came since the last run began.
    static bool interrupted();
    /// For a function of ours that interpreted code calls, when it is done and holds nothing: ends the run if Ctrl-C
    /// came meanwhile. A loop of such calls is hardly ever caught in code of its own.
    static void leave_if_interrupted();
    /// Library functions that must not end the worker (exit, abort, ...), for the host engine to define.
    static std::vector<api::Symbol> replacements();
};

}  // namespace cudash::session
