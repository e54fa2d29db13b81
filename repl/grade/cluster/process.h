// A program of the system's that is run to its end, and what it said.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::grade {

struct Ended {
    int code = 0;             ///< its exit code; 128 and the signal that ended it
    std::string out, errors;  ///< stdout, stderr
};

/// Runs `command`, found in PATH, without input. The error: it can't be started ("no-program"), or it took longer than
/// `limit` and was ended ("no-answer").
Result<Ended> run_program(const std::vector<std::string>& command, std::chrono::seconds limit);

}  // namespace cudash::grade
