// Which array an access belongs to that lies outside of all: its pointer tells, not what happens to be nearest.
#pragma once

#include <optional>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

/// The array whose address the kernel was given, and from which the address of the access `at` is computed, by moves,
/// sums and differences. nullopt: there is none or more than one, or `code` is not the kernel itself.
std::optional<Allocation> base_of_access(const Launch& launch, const Code& code, const Instruction* at);

}  // namespace cudash::virtual_gpu
