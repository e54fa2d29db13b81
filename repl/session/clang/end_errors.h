// What clang says at the end of a cell, where something is missing.
#pragma once

#include <string>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// clang reports errors at the end of a cell in an empty main file of its own: they go behind the cell's last
/// character. Of several there, the one that names an open bracket is enough. `name` is the cell's, `text` begins with
/// a #line directive.
void place_at_end(std::vector<Diagnostic>& diagnostics, const std::string& name, const std::string& text);

}  // namespace cudash::session
