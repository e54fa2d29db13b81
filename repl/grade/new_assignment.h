// `cudash grade new NAME`: a small assignment to begin with.
#pragma once

#include <string>

#include "repl/view/display.h"

namespace cudash::grade {

/// Writes a complete assignment to `path`. `format_page`: the file that describes the format; empty: none is installed.
/// Returns the exit code.
int new_assignment(const std::string& path, const std::string& format_page, const view::Display& display);

}  // namespace cudash::grade
