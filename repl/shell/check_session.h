// What the virtual GPU's checkers say of a session, whatever device it runs on.
#pragma once

#include "repl/shell/notebook.h"

namespace cudash::shell {

/// Runs all cells again, as typed, in a worker of its own on the virtual GPU with all checkers, and shows what these
/// find. The session stays as it is; what the cells print is not shown again.
void check_session(Notebook& notebook);

}  // namespace cudash::shell
