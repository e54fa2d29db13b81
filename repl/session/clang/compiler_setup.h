// How clang is set up: arguments, its own headers, and the precompiled header that makes start-up quick.
#pragma once

#include <memory>
#include <string>

#include "clang/Frontend/CompilerInstance.h"
#include "repl/session/clang/host_engine.h"
#include "runtime_wrappers/result.h"

namespace cudash::session {

/// A compiler for CUDA host code, not yet told about a precompiled header.
Result<std::unique_ptr<clang::CompilerInstance>> make_compiler(const HostEngine::Setup& setup);

/// The precompiled header for `setup`: the path of an up-to-date one, made now if there was none or `remake` is set.
Result<std::string> precompiled_header(const HostEngine::Setup& setup, bool remake);

/// The text of that header: CUDA's runtime header and the common standard headers.
const char* prelude_text();

}  // namespace cudash::session
