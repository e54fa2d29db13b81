// This program, started again with other arguments: what may crash or lose a device runs in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::fuzz {

struct Ended {
    std::string output;  ///< its standard output
    int exit_code = 0;   ///< 0 as well when a signal ended it
    int signal = 0;      ///< 0: none
};

Result<Ended> run_self(std::vector<std::string> arguments);

}  // namespace cudash::fuzz
