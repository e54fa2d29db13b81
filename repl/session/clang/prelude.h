// What every session has included before its first cell.
#pragma once

#include <string>

namespace cudash::session {

/// Its #include lines.
std::string prelude_includes();

}  // namespace cudash::session
