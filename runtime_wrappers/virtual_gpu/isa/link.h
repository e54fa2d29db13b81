// From a module's kernel to a program: the functions that it needs, its shared memory, its stack.
#pragma once

#include <memory>

#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/loaded_module.h"

namespace cudash::virtual_gpu {

/// Decodes a kernel and all that it may call.
std::unique_ptr<Program> link(const LoadedModule& module, const ptx::Function& kernel);

}  // namespace cudash::virtual_gpu
