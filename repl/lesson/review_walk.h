// `cudash lesson review` and `:review`: a walk through the questions that are due.
#pragma once

#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash::lesson {

/// Returns the exit code.
int run_review(const worker::Settings& worker, const view::Display& display, bool in_shell);

}  // namespace cudash::lesson
