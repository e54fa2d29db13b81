// The macros that a cell defines and undefines, so that a cell that is rejected leaves none behind. Those of system
// headers stay: their guards say that they were read.
#pragma once

#include <map>
#include <string>

namespace clang {
class CompilerInstance;
class IdentifierInfo;
class MacroInfo;
}  // namespace clang

namespace cudash::session {

class MacroChanges {
public:
    /// Follows the compiler's preprocessor, which keeps what follows it.
    explicit MacroChanges(clang::CompilerInstance& compiler);

    /// A cell begins.
    void begin() { before_.clear(); }
    /// Directives that bring back what was defined before the cell.
    std::string undo() const;

private:
    class Watcher;

    clang::CompilerInstance& compiler_;
    std::map<std::string, const clang::MacroInfo*> before_;  ///< of each name that changed; null: it was not a macro
};

}  // namespace cudash::session
