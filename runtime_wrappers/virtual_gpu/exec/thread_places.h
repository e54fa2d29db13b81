// Where the threads of running blocks are: for messages about kernels that do not end.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

/// Gives the diagnostic a note for each place where threads wait or run ("threads 0-31 of block (0,0,0) wait at a
/// barrier"), at its line; threads that have exited come last. Of many blocks only the first few are told, of many
/// places too. The first place becomes the diagnostic's own, its first thread the one that is named.
void tell_places(Diagnostic& diagnostic, std::span<const Block* const> blocks);

}  // namespace cudash::virtual_gpu
