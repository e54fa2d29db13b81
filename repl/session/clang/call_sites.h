// Reads off clang's AST what each call of the CUDA runtime is for: the variable that gets its result, and whether the
// program keeps the error that it returns, and how sizes are written.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "clang/AST/Decl.h"
#include "repl/session/code_place.h"
#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

class CallSites {
public:
    /// Adds the calls that `part` makes outside of files for which `is_system` is true.
    void read(clang::TranslationUnitDecl& part, const std::function<bool(clang::SourceLocation)>& is_system);
    /// The call at this place; nullptr if there is none.
    const api::CallText* find(const CodePlace& place) const;

private:
    class Visitor;
    std::map<std::tuple<std::string, unsigned, unsigned>, api::CallText> sites_;
};

}  // namespace cudash::session
