// Memory that was allocated and never freed, by the place that allocated it; streams, events and the like that were
// never destroyed.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::host_check {

struct Leak {
    const char* kind = "";  ///< "device memory"
    const char* frees = "cudaFree";
    std::uint64_t bytes = 0;
    SourceSpot where;
    std::string target;  ///< the variable that got the pointer; may be empty
};
/// One finding for all of them; nullopt if there are none.
std::optional<Diagnostic> describe_leaks(std::span<const Leak> leaks);

/// A handle that nothing has destroyed; `bytes` does not count.
std::optional<Diagnostic> describe_undestroyed(std::span<const Leak> objects);

}  // namespace cudash::host_check
