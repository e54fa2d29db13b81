// What the reference does not allow to change in a node of an executable graph.
#pragma once

#include "runtime_wrappers/virtual_gpu/runtime/task.h"

namespace cudash::virtual_gpu::runtime {

/// What cudaGraphExecUpdate does not take: "Changing either the source or destination memory type (i.e.
/// CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY, etc.) is not supported", and "For 2d memsets, only address and assigned
/// value may be updated". The reason, or null where nothing of that kind changes.
const char* unchangeable(const Gpu& gpu, const Task& now, const Task& wanted);

/// The same for cudaGraphExecNodeSetParams and its like: "Both the instantiation-time memory operands and the memory
/// operands in pNodeParams must be 1-dimensional."
const char* not_settable(const Gpu& gpu, const Task& now, const Task& wanted);

}  // namespace cudash::virtual_gpu::runtime
