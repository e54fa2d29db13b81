// What `cudash exec` is given: which kind of program it is, or why it can't be run.
#pragma once

#include <string>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::exec {

struct Executable {
    std::string path;     ///< with a folder, as execve takes it
    std::string preload;  ///< of ours, for the CUDA runtime that it was linked with, and the driver's; as LD_PRELOAD
    std::vector<std::string> imported{};  ///< functions that it takes from shared libraries
};

/// `name`: a path, or without a folder a file of the current one. The error says what to do.
Result<Executable> inspect_executable(const std::string& name);

}  // namespace cudash::exec
