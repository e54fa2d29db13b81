// What the shell says beside results.
#pragma once

#include <string_view>

#include "repl/view/display.h"

namespace cudash::view {

/// A message without an error: indented, in lines that fit.
void note(const Display& display, std::string_view text);

}  // namespace cudash::view
