// Reads off clang's syntax tree what a text uses. The text is only parsed: nothing of it is compiled or run.
#pragma once

#include <string>

#include "repl/session/clang/host_engine.h"
#include "repl/session/code_use.h"

namespace cudash::session {

/// `declarations` stand before `text`, and are no part of it.
Result<CodeUses> read_code_uses(const HostEngine::Setup& setup, const std::string& declarations,
                                const std::string& text);

}  // namespace cudash::session
