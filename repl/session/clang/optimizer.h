// Host code at the speed of a compiled program: LLVM's passes of -O2 over a module that clang made without
// optimization.
#pragma once

#include <string_view>

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace cudash::session {

/// Ends the identifier of a module that was optimized: inlined code of headers stands among the student's own.
inline constexpr std::string_view optimized_suffix = ".optimized";

/// What messages need stays as it was: frames, calls that return to where they stand, and launch stubs. Every symbol
/// that the module defines it still defines afterwards.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace cudash::session
