// What `:profile` shows: the profiler's counters as tables. The names of counters and their meaning are those of Nsight
// Compute (virtual_gpu/profile/metrics.h).
#pragma once

#include <string_view>

#include "repl/session/outcome.h"
#include "runtime_wrappers/result.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"

namespace cudash::session {

/// A table under a sentence.
struct ProfileView {
    std::string text;
    std::optional<Table> table;
};

/// `request` is empty (the launches so far), "lines" (the same by source line), "last" (the last launch by source
/// line), "metrics" (its counters), "last --on NAME,..." (the same launch priced for other profiles), "on", "off" or
/// "clear".
Result<ProfileView> profile_view(virtual_gpu::Profiler& profiler, std::string_view request);

/// Every metric and its exact value for the last launch of `kernel`: "k", or "k<int>". The error: there was none.
Result<Table> metrics_of(const virtual_gpu::Profiler& profiler, std::string_view kernel);

}  // namespace cudash::session
