// The CUDA runtime as a session opens it: what the command line says of it, and where what it tells goes.
#pragma once

#include <memory>

#include "repl/session/outcome.h"
#include "repl/session/session.h"
#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

/// What the program has printed appears before what the session says next.
void flush_output();
/// PTX knows a kernel by its mangled name, and a cell as a file in the current folder.
void name_as_written(Diagnostic& diagnostic);

/// Findings and progress go to the listener, which must outlive them; what kernels print goes to stdout and stderr.
api::Events runtime_events(const Listener& listener);
Result<std::unique_ptr<api::Runtime>> open_runtime(const Options& options, api::DeviceCode& code, api::Events events,
                                                   api::MakeCodeGenerator compiler = nullptr);

}  // namespace cudash::session
