// Whole programs built by nvcc, for `cudash run --via nvcc`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime_wrappers/nvrtc/nvcc_process.h"
#include "runtime_wrappers/result.h"

namespace cudash::nvrtc {

struct ProgramRequest {
    std::vector<std::string> sources, include_dirs, defines;
    std::string standard;  ///< "c++17"
    unsigned arch = 90;    ///< PTX is made for it
};

/// A program that nvcc has made: in the cache, or where there is none, in a folder that is gone with its scope.
struct BuiltProgram {
    std::optional<Scratch> scratch;
    std::filesystem::path program;
};

/// With line information and debug information of host code, so that findings name lines and variables, and linked with
/// the libraries of the toolkit that it calls. What the same text came to before is taken from the cache. The error is
/// nvcc's first one ("nvcc-compile"), or "nvcc-missing". A signal that ends cudash meanwhile ends nvcc first.
Result<BuiltProgram> build_with_nvcc(const ProgramRequest& request);

}  // namespace cudash::nvrtc
