// What a session takes and gives: the values that cross the protocol between the front end and the worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/session/debug/debug_reply.h"
#include "repl/view/picture/pictures.h"
#include "repl/view/picture/report.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// How the worker is set up; the command line in values.
struct Options {
    std::string device = "auto";
    std::vector<std::string> include_dirs;  ///< -I
    std::vector<std::string> defines;       ///< -D, "NAME" or "NAME=VALUE"
    std::string standard = "c++17";         ///< -std
    std::uint64_t kernel_timeout_ms = 0;    ///< --timeout for kernels; 0: none
    std::string check = "default";          ///< --check: what the virtual GPU looks for
    bool profile = false;                   ///< --profile: count what kernels on the virtual GPU do
    bool trace = false;                     ///< :trace on: API calls as they happen
    bool launches = false;                  ///< :launches on: a line for each launch
    bool report_api_errors = true;          ///< explain failing cudaXxx calls unasked (off in `run`)
    bool tell_of_compiling = false;         ///< when it takes long: there is a terminal
    bool line_buffered = false;             ///< stdout is a pipe that somebody watches, as a terminal
    bool second_opinion = true;             ///< nvcc is asked where NVRTC refuses device code
    bool restore_after_sticky = true;       ///< the shell recovers a virtual device whose context was lost
};

/// A piece of input.
struct Cell {
    enum class Kind : std::uint8_t {
        code,            ///< `text` is C++
        file,            ///< `text` is the path of a file to read in as a whole
        run_main,        ///< call main with `arguments` (argv[0] first)
        compile_device,  ///< compile all device code so far, as nvcc would before a program starts
        inspect,         ///< `text` asks about the session: the name of an inspection, then its argument
        kernels,         ///< `text` declares what a later device text defines: kernels with empty bodies, variables
        device,          ///< `text` is device code that the host engine never sees: nothing of it runs on the host
        load,            ///< gives arguments[0] bytes at the address that the expression `text` has, in base64
        /// As code, with its first launch stopped in the debugger. `arguments`: "memory=MIB", for checkpoints; of a
        /// launch that is opened at a finding "launch=N", counted from 0, "code=", "file=" and "line=".
        debug,
        debug_command,  ///< what is typed while a launch is stopped there
        /// As run_main; before main, and where its launches stop, debug_commands are asked for. `text`: "memory=MIB".
        debug_main,
        store  ///< puts arguments[0], in base64, at the address that the expression `text` has
    };
    Kind kind = Kind::code;
    std::string name;  ///< as diagnostics name it: "cell 3"
    std::string text;
    std::vector<std::string> arguments;
    bool quiet = false;  ///< what it prints is not shown: a replay
    /// Others follow at once, of a paste or a file: its device code waits until it is launched, and the initializers of
    /// a `file` until main runs.
    bool more = false;
    bool fails =
        false;  ///< it ran into an error, which was told: a replay runs it all the same, for what it did before
};

/// The value of a cell that ends in an expression without ';', already rendered: "(int) 42".
struct Value {
    std::string type;
    std::string text;
};

/// Rows of text under headings.
struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

/// A live allocation on a map of memory.
struct MemoryRange {
    std::uint64_t address = 0, size = 0;
    std::string kind;
};

/// A finding of the virtual GPU, and the launch that had it.
struct FoundInLaunch {
    std::string cell;          ///< that launched it
    std::uint64_t launch = 0;  ///< of the cell's launches, from 0
    std::string code;
    SourceSpot where;
};

struct Outcome {
    /// Their names, in the protocol and in events: status_names.
    enum class Status : std::uint8_t {
        ok,
        compile_error,  ///< nothing ran
        faulted,        ///< a signal or an uncaught exception came back to the prompt
        interrupted,    ///< Ctrl-C
        exited,         ///< exit(exit_code) was called, or main returned it
        device_error,   ///< ran, and left a CUDA error that ends a context
        stopped,        ///< a launch of the cell stands in the debugger; what comes next is a debug_command
        lost            ///< the worker is gone; made by the front end
    };
    Status status = Status::ok;
    int exit_code = 0;
    std::optional<Value> value;
    std::vector<Diagnostic> diagnostics;
    /// False: the worker's memory can't be trusted any more (stack smashed, lock held); replay is advised.
    bool sound = true;
    double seconds = 0;
    /// What an inspection found.
    std::optional<Table> table;
    std::vector<MemoryRange> memory;       ///< to be shown on a map, by address
    std::string text;                      ///< ends with a line end
    std::optional<view::Picture> picture;  ///< of a profile; the front end draws it
    std::optional<view::Report> report;    ///< of a whole profile; the front end makes a page of it
    std::optional<DebugStop> stop;         ///< of the debugger
    bool taken_back = false;               ///< the launch of a debugged cell was ended, as if it had not been
    std::optional<DebugLanes> lanes;
    std::optional<DebugDetails> details;
    std::optional<FoundInLaunch> found;  ///< the first that the cell ran into
};

/// Of an inspection that can't be answered.
inline Outcome refuse(Diagnostic diagnostic) {
    Outcome outcome;
    outcome.status = Outcome::Status::compile_error;
    outcome.diagnostics.push_back(std::move(diagnostic));
    return outcome;
}

inline constexpr std::array<std::string_view, 8> status_names = {"ok",     "compile_error", "faulted", "interrupted",
                                                                 "exited", "device_error",  "stopped", "lost"};
inline std::string_view name_of(Outcome::Status status) {
    return status_names[static_cast<std::size_t>(status)];
}

}  // namespace cudash::session
