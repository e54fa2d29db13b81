// Why a cell could not be linked. LLVM reports first the symbols that nothing defines, then every symbol of the cell
// that fails for it: some hundred names, of which only the first ones help.
#pragma once

#include <string>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Error.h"
#include "repl/session/clang/cell_linker.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

class LinkErrors {
public:
    void note(llvm::Error error);
    /// What was noted since the last call.
    Diagnostic take();

private:
    std::vector<std::string> missing_;  ///< as the program writes them
    std::string other_;
};

/// At the `asm` where that is known, which for one outside of functions it is not.
Diagnostic assembly_error(const CellLinker::AssemblyError& wrong, const clang::SourceManager& sources);

}  // namespace cudash::session
