// Kernels of headers that are nobody's own text, Thrust's and CUB's: found by the launch stubs that host code has made
// of them, as the AST is read for the student's own declarations alone.
#pragma once

#include <set>
#include <string>

#include "llvm/IR/Module.h"
#include "repl/session/clang/fact_reader.h"
#include "repl/session/device/declaration.h"

namespace cudash::session {

/// Adds a fact for each launch stub that the module defines and that no fact or earlier call (`known`) has.
void add_foreign_kernels(const llvm::Module& module, FactReader& reader, std::set<std::string>& known,
                         CellFacts& facts);

}  // namespace cudash::session
