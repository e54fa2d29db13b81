// Loads and stores whose addresses are affine: checked by their two ends, without looking at the lanes.
#pragma once

#include "runtime_wrappers/virtual_gpu/isa/affine_registers.h"

namespace cudash::virtual_gpu {

/// None where there is no affine form.
AffineForms affine_load(const AffineQuery& query);
AffineForms affine_store(const AffineQuery& query);

/// Two loads and the fma that multiplies what they loaded, as one: the handler for the first of the three affine
/// instructions at `first`, or nullptr if they are something else. Nothing else may read the loaded registers: they
/// are not written.
inline constexpr std::uint32_t fused_instructions = 3;
Handler fused_multiply_add(const Instruction* first);

}  // namespace cudash::virtual_gpu
