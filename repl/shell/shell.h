// The interactive shell.
#pragma once

#include "repl/shell/notebook.h"

namespace cudash::shell {

/// Reads cells and commands from the terminal until the end. Returns the exit code.
int run_shell(Notebook& notebook);

}  // namespace cudash::shell
