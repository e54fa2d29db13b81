// The compiled tier's code generator: LLVM's, for the processor that runs it.
#pragma once

#include <memory>

#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"

namespace cudash::virtual_gpu {

/// nullptr where the processor lacks what compiled code needs (AVX2 and FMA), or LLVM can't be set up.
std::shared_ptr<CodeGenerator> create_code_generator();

}  // namespace cudash::virtual_gpu
