// LLVM, in a library of its own: a program whose kernels are not worth compiling loads none of it.
#pragma once

#include <memory>

#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"

namespace cudash::exec {

/// For kernels that run long. nullptr: the library can't be loaded, or LLVM can't compile for this processor; then the
/// interpreter runs them.
std::shared_ptr<virtual_gpu::CodeGenerator> load_code_generator();

}  // namespace cudash::exec
