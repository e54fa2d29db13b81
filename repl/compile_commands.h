// What clangd needs to understand CUDA files without a GPU and without nvcc.
#pragma once

#include <string>

#include "repl/view/display.h"

namespace cudash {

/// Writes FOLDER/compile_commands.json ("JSON Compilation Database Format Specification", LLVM), with an entry for each
/// CUDA file below. Files that come later get the flags of their neighbors. Returns the exit code.
int write_compile_commands(const std::string& folder, const view::Display& display);

}  // namespace cudash
