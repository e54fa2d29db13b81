// From a module's kernel to a program: the functions that it needs, its shared memory, its stack.
#pragma once

#include <memory>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/loaded_module.h"
#include "runtime_wrappers/virtual_gpu/isa/stop_checks.h"

namespace cudash::virtual_gpu {

/// Decodes a kernel and all that it may call.
std::unique_ptr<Program> link(const LoadedModule& module, const ptx::Function& kernel);
/// The same of a module of debug code, without stops (decode_unstopped). nullptr: its moments could not be counted.
std::unique_ptr<Program> link_unstopped(const LoadedModule& module, const ptx::Function& kernel,
                                        const StopChecks& checks);

}  // namespace cudash::virtual_gpu
