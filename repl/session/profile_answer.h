// What the front end gets when it asks for a profile: a view of it, or a report.
#pragma once

#include <string_view>

#include "repl/session/outcome.h"
#include "repl/session/profile_requests.h"

namespace cudash::session {

/// `request`: what profile_view takes, "report" or "report csv". `profiler`: nullptr on a real GPU.
Outcome profile_answer(virtual_gpu::Profiler* profiler, std::string_view request, const LineText& source);

}  // namespace cudash::session
