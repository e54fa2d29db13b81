// Clang's code completion, in the state that the session's compiler is in.
#pragma once

#include <string>

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Interpreter/Interpreter.h"
#include "repl/session/completion.h"

namespace cudash::session {

/// How `text` can go on. It is parsed in a copy of this process, which then ends: whatever the unfinished text does to
/// the compiler, the session does not see. Empty where that takes more than a second.
Completions complete(clang::Interpreter& interpreter, const std::string& text);

}  // namespace cudash::session
