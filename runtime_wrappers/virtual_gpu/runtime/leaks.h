// Memory that was allocated and never freed, by the place that allocated it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;

struct Leak {
    const char* kind = "";  ///< "device memory"
    const char* frees = "cudaFree";
    std::uint64_t bytes = 0;
    SourceSpot where;
    std::string target;  ///< the variable that got the pointer; may be empty
};
/// One finding for all of them; nullopt if there are none.
std::optional<Diagnostic> describe_leaks(std::span<const Leak> leaks);

/// What the program has and would have to free.
std::optional<Diagnostic> find_leaks(const Gpu& gpu);

}  // namespace cudash::virtual_gpu::runtime
