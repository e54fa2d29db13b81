// Which line of the student's made the call that the CUDA runtime serves.
#pragma once

#include <optional>
#include <span>

#include "repl/session/clang/host_engine.h"
#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

/// `frame`: of the entry point (__builtin_frame_address). Interpreted code keeps frame pointers, so that its callers
/// are found from there: the first that is not in a header of the toolkit is meant.
api::CallPlace place_of_call(const HostEngine& engine, const void* frame);

/// The first of `addresses`, innermost first, that is the student's own code.
std::optional<CodePlace> own_place(const HostEngine& engine, std::span<const std::uint64_t> addresses);

}  // namespace cudash::session
