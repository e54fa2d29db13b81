// `cudash explain [CODE]`.
#pragma once

#include <string>

#include "repl/view/display.h"

namespace cudash {

/// Prints the page of a code, or all codes if it is empty. Returns an exit code.
int explain(const std::string& code, const view::Display& display);

}  // namespace cudash
