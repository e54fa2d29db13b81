// What a front end puts into a session's memory, and reads from it: input that it made, results that it judges itself.
#pragma once

#include "repl/session/clang/host_engine.h"
#include "repl/session/outcome.h"

namespace cudash::session {

/// A cell of kind `load` or `store`. An address that can't be used gives an outcome of status compile_error or faulted.
Outcome transfer(HostEngine& engine, const Cell& cell);

}  // namespace cudash::session
