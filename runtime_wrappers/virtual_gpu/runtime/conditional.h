// Conditional nodes of graphs (CUDA Programming Guide, "Conditional Graph Nodes").
#pragma once

#include "runtime_wrappers/virtual_gpu/runtime/task.h"
#include "runtime_wrappers/virtual_gpu/stream/operation.h"

namespace cudash::virtual_gpu::runtime {

/// Runs the bodies that the condition chooses, one node after the other, as parts of `operation`.
Usage run_conditional(Gpu& gpu, const ConditionalTask& task, const Operation& operation);

/// Whether a kernel of its bodies looks at memory until other work has changed it.
bool may_wait(const ConditionalTask& task);

}  // namespace cudash::virtual_gpu::runtime
