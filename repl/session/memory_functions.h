// Functions of the C and C++ libraries that interpreted code calls through the session, because of the memory that they
// are given: what makes it, which is zero, what frees it, which the device may still know, and what hands it to the
// system, which gets an error and no signal where pending work has the pages.
#pragma once

#include <vector>

#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

/// For the host engine to define.
std::vector<api::Symbol> memory_functions();

}  // namespace cudash::session
