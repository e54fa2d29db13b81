// checks.toml: what a submission is checked for, and what a student is told about foreseen mistakes. lessons/README.md
// describes the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/grade/data.h"
#include "repl/grade/grade.h"
#include "repl/grade/pattern.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::grade {

/// The check that every file has: the submission compiles. The others are skipped without it.
inline constexpr std::string_view compiles = "compiles";

/// What the code must be made of, or may not. constructs.cpp has a row for each.
struct Constructs {
    std::optional<bool> launches, shared_memory, atomics, libraries, kernel_decides;
    std::optional<double> shared_bytes;                  ///< of a block, at most
    std::optional<std::vector<std::string>> only_calls;  ///< functions of the runtime

    bool any() const {
        return launches || shared_memory || atomics || libraries || kernel_decides || shared_bytes || only_calls;
    }
    /// The process that runs the code has to tell.
    bool are_executed() const { return launches || shared_memory || atomics || shared_bytes; }
};

struct Check {
    std::string name;
    std::string why;    ///< what is probably wrong when it fails
    double points = 1;  ///< for grading
    bool fresh = false;
    std::vector<std::string> needs;

    // What must hold; all that are given.
    std::optional<std::string> cell;
    std::optional<std::string> output;                 ///< of the cell
    std::string means;                                 ///< what a number in `output` counts: "wrong elements"
    std::optional<std::vector<std::string>> findings;  ///< that may have appeared so far; no others
    std::string kernel, metric;                        ///< of the kernel's last launch
    std::optional<double> at_least, at_most, equals;   ///< of the metric
    std::vector<std::string> calls, calls_not;         ///< functions of the runtime
    std::optional<bool> leaks;                         ///< false: nothing may be left allocated

    // Of assignments (lessons/assignments/README.md).
    std::vector<Input> inputs;          ///< put in before the cell
    std::vector<ResultDemand> results;  ///< read after it
    unsigned runs = 1;                  ///< of the cell, each with other random inputs
    bool partial = false;               ///< points for the part of the results that is right
    struct Program {
        std::vector<std::string> arguments;
        std::string input;
        std::string device;  ///< empty: that of all checks
    };
    std::optional<Program> run;               ///< main is called, in a worker of its own
    std::optional<Tolerance> as_solution;     ///< what it prints is what the solution prints
    std::optional<bool> warnings;             ///< false: the compiler may warn of nothing
    std::optional<double> of_solution;        ///< the metric is at most so many times the solution's
    std::optional<double> least_of_solution;  ///< and at least so many times
    Constructs constructs;
    std::string leaderboard;  ///< the metric's name where students compare it; empty: they do not
    Visibility visibility = Visibility::visible;
    std::string task;
    unsigned line = 0;
};

/// [[rubric]]: a part that people mark.
struct Rubric {
    std::string name, about;
    double points = 0;
};

/// It asks for no result, but how the result came about: a counter, findings, leaks.
inline bool is_about_quality(const Check& check) {
    return check.name != compiles && !check.output && (check.findings || !check.metric.empty() || check.leaks);
}

/// All that are given must hold.
struct Reply {
    std::string say;
    std::string finding;  ///< its code appeared
    std::string error;    ///< a compile error's message contains this
    std::string failed;   ///< that check failed
    std::optional<Pattern> output, source;
    unsigned line = 0;
};

/// How a submission gets into the session.
enum class SubmissionKind : std::uint8_t {
    cells,   ///< as a cell: a lesson's exercise, whose author is its user
    device,  ///< as device code alone, called by the harness: nothing of it runs natively
    program  ///< as a whole program
};

struct Checks {
    std::string path;
    SubmissionKind kind = SubmissionKind::cells;
    std::string title;
    std::string kernels;  ///< of device code: declares what the submission must define
    Key seed;             ///< of random inputs
    std::uint64_t memory_bytes = 400u << 20;
    bool trusted = false;  ///< whole programs may be asked what only their own process can tell
    std::string setup;     ///< code before the submission
    std::string harness;   ///< code after it, that uses it
    std::string device = "virtual:h200", checkers = "all";
    double timeout = 10;  ///< seconds a cell, of processor time where it is confined
    double all_time = 0;  ///< seconds that one submission may take in all; 0: as often its timeout as it runs something
    std::vector<Check> checks;
    std::vector<Reply> replies;
    std::vector<Rubric> rubric;
    bool own_inputs = false;     ///< every student has a seed of their own, from the key of the course
    bool several_files = false;  ///< a folder's .cu files and headers are one submission
};

/// The seconds that one submission may take in all its workers together.
double all_time(const Checks& checks);

/// Reads checks.toml's text. Everything that is wrong with it goes to `problems`; it can be used if there is nothing.
Checks parse_checks(std::string path, std::string_view text, std::vector<Diagnostic>& problems);
/// Reads assignment.toml's text, which is checks.toml with more keys.
Checks parse_assignment(std::string path, std::string_view text, std::vector<Diagnostic>& problems);

}  // namespace cudash::grade
