// The profile of a session as a file: a page to look at, or lines for programs.
#pragma once

#include <string>

#include "repl/session/profile_pictures.h"
#include "repl/view/picture/report.h"

namespace cudash::session {

/// What the page of --report shows.
view::Report report_of(const virtual_gpu::Profiler& profiler, const LineText& source);
/// A line for each launch in its order: kernel, grid, block, registers, modelled time, then all metrics by their names.
std::string report_as_csv(const virtual_gpu::Profiler& profiler);

}  // namespace cudash::session
