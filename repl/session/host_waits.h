// Functions of the C library with which interpreted code waits for a time, or reads a clock until it has come. They go
// through the session: queued work of a virtual GPU goes on while the program sleeps, whatever the machine's speed.
#pragma once

#include <vector>

#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

/// The place in the program from which it calls one of these functions, where another function stands in between.
inline thread_local const void* called_from = nullptr;

/// For the host engine to define.
std::vector<api::Symbol> waiting_functions();

}  // namespace cudash::session
