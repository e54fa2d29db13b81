// Loops that wait for what another thread writes.
#pragma once

#include "runtime_wrappers/virtual_gpu/isa/decode/flow_graph.h"

namespace cudash::virtual_gpu {

/// Sets the program's `polls` and `watches`, where they are not set yet and this function makes them true.
void note_polls(const FlowGraph& graph, Program& program);

}  // namespace cudash::virtual_gpu
