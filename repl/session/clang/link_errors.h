// Why a cell could not be linked. LLVM reports first the symbols that nothing defines, then every symbol of the cell
// that fails for it: some hundred names, of which only the first ones help.
#pragma once

#include <string>
#include <vector>

#include "llvm/Support/Error.h"
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

}  // namespace cudash::session
