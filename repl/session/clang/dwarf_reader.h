// Reads the debug information of PTX with LLVM's DWARF library.
#pragma once

#include <string_view>

#include "repl/session/debug/debug_info.h"

namespace cudash::session {

/// Nothing, if the PTX was not made with -G.
debug::DebugInfo read_debug_info(std::string_view ptx);

}  // namespace cudash::session
