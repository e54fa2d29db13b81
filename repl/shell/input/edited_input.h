// Cells edited as one in a terminal, with libedit: history, search, completion, pastes of whole files.
#pragma once

#include <memory>

#include "repl/shell/input/input.h"

namespace cudash::shell {

std::unique_ptr<Input> edited_input(const view::Display& display, InputSetup setup);

}  // namespace cudash::shell
