// How a guarded run of the user's code ended, as an outcome and as diagnostics.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "repl/session/guard.h"
#include "repl/session/outcome.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// Of an end of kind `signal` that is not internal; without its place. `runtime`: nullptr if none is open.
Diagnostic describe_fault(const GuardedEnd& end, const api::Runtime* runtime);
/// A hint for a null pointer that `line` of the program used: an argument that was not given, a file that could not be
/// opened. `argument_count`: main's argc; nullopt if it is not known. "": the line tells nothing.
std::string help_with_null(std::string_view line, std::optional<std::size_t> argument_count);
/// Of an end of kind `exception`; without its place.
Diagnostic uncaught_exception(const GuardedEnd& end);
/// Status and exit code of the end. One that returned leaves them as they are.
void conclude(const GuardedEnd& end, Outcome& outcome);
/// What is left to say when a program has ended. One whose kernels were not run for what is in their code has failed,
/// whatever its own exit code.
void add_end_of_program(api::Runtime& runtime, Outcome& outcome);

}  // namespace cudash::session
