// The Debug Adapter Protocol, by which editors drive the debugger.
// https://microsoft.github.io/debug-adapter-protocol/specification
#pragma once

#include "repl/worker/client.h"

namespace cudash::dap {

/// Speaks the protocol on these descriptors until the client leaves or `in` ends. Returns the exit code.
int serve(worker::Settings settings, int in, int out);

}  // namespace cudash::dap
