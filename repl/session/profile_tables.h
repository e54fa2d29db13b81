// The profiler's counters for programs.
#pragma once

#include <string_view>

#include "repl/session/outcome.h"
#include "runtime_wrappers/result.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"

namespace cudash::session {

/// Every metric and its exact value for the last launch of `kernel`: "k", or "k<int>". The error: there was none.
Result<Table> metrics_of(const virtual_gpu::Profiler& profiler, std::string_view kernel);

/// Every metric of every kernel, added up over the launches of one configuration; what a launch asks for
/// (`launch__...`) is that of the last of them.
Table executed_by(const virtual_gpu::Profiler& profiler);

}  // namespace cudash::session
