// LLVM's DWARF library, in a library of its own: a program that nobody debugs loads none of it.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "repl/session/debug/debug_info.h"
#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/nvrtc/debug_link.h"

namespace cudash::exec {

/// Of the program's kernels. `parts`: what their linked code lacks; empty: the PTX has all. What it lacks is told.
session::debug::DebugInfo read_debug_info(std::string_view ptx, const std::vector<nvrtc::DebugPart>& parts,
                                          const std::function<void(const Diagnostic&)>& tell);

}  // namespace cudash::exec
