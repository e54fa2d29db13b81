// Host code at the speed of a compiled program: LLVM's passes of -O2 over a module that clang made without
// optimization.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace cudash::session {

/// What messages need stays as it was: frames, lines of calls and of accesses, and launch stubs. Every symbol that the
/// module defines it still defines afterwards.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace cudash::session
