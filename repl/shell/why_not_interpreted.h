// Programs that the interpreter can't run, and nvcc may be able to build.
#pragma once

#include <optional>

#include "repl/session/outcome.h"
#include "repl/worker/client.h"

namespace cudash::shell {

/// What of a cell that did not compile is the interpreter's own limit, as far as can be told without asking nvcc.
/// nullopt: it ran, or it has a mistake that every compiler refuses.
std::optional<Diagnostic> why_not_interpreted(const session::Outcome& outcome);

/// The same for a program that has been read: what it calls and only a built program has.
std::optional<Diagnostic> why_not_interpreted(worker::Client& client);

}  // namespace cudash::shell
