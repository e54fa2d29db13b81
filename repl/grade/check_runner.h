// Runs a submission against its checks, each submission in a worker of its own. What is expected stays on this side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "repl/grade/checks.h"
#include "repl/worker/client.h"

namespace cudash::grade {

struct Submission {
    std::string name;  ///< as diagnostics name it: "reverse.cu"
    std::string text;
};

enum class Verdict : std::uint8_t { passed, failed, skipped };

struct CheckResult {
    std::string name;
    Verdict verdict = Verdict::skipped;
    double points = 0;                 ///< that it can give
    double part = 0;                   ///< of the points that it gives: 0 to 1
    std::string expected, actual;      ///< of the thing that failed: lines
    std::string reason;                ///< a sentence: what failed, or why it was skipped
    std::vector<Diagnostic> findings;  ///< that belong to the failure
    std::string why;                   ///< what the author of the checks thinks is wrong
    std::optional<double> measured{};  ///< of the check's metric
};

struct Report {
    std::vector<CheckResult> checks;   ///< "compiles" first, then in their order
    std::string reply;                 ///< of the first foreseen mistake that fits; empty: none
    unsigned reply_line = 0;           ///< where that reply stands in the file; 0: none
    std::vector<Diagnostic> findings;  ///< all that appeared, in their order
    std::vector<std::string> notes;    ///< codes of notes that appeared; they fail no check
    std::vector<std::string> printed;  ///< by the checks' cells
    bool interrupted = false;          ///< Ctrl-C: nothing was decided
    bool unfinished = false;           ///< something took too long, so not all checks ran
    /// The checks themselves can't be used (their setup fails, no worker starts): no fault of the submission.
    std::vector<Diagnostic> broken;
    std::uint64_t peak_memory = 0;  ///< resident bytes of its biggest worker

    bool passed() const;
    const CheckResult* first_failure() const;
};

/// What a check run is like. `worker`: device, checkers, timeouts and profile are the checks' own.
struct RunSettings {
    worker::Settings worker;
    bool confined = false;                   ///< the submission is a stranger's
    const References* references = nullptr;  ///< what the solution gave
    References* record = nullptr;            ///< the submission is the solution: what it gives is kept
    std::vector<std::string> without{};      ///< layers of the sandbox that are left out, to test the others
    bool any_device = false;  ///< keep worker.options.device; what only the virtual GPU can tell is skipped on others
};

Report run_checks(const Checks& checks, const Submission& submission, const RunSettings& settings);

}  // namespace cudash::grade
