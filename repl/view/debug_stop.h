// The debugger's answers as text: where a launch stands, and values of all lanes.
#pragma once

#include <string>

#include "repl/session/debug/debug_reply.h"
#include "repl/view/diagnostic_printer.h"
#include "repl/view/style.h"

namespace cudash::view {

/// The source around the place, and a row of the warp's lanes. `width`: 0: as wide as it gets.
std::string print(const session::DebugStop& stop, const SourceLines& lines, const Style& style, unsigned width);
/// Columns of `lane: value`, as many as fit.
std::string print(const session::DebugLanes& lanes, const Style& style, unsigned width);

}  // namespace cudash::view
