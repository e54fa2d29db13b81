// The CUDA runtime that nvcc links into programs by default (libcudart_static.a): its functions are found by the symbol
// table, and made to jump to ours, before the program's own code runs.
#pragma once

namespace cudash::cudart {

/// Does so in the program and in all shared libraries that are loaded now. What libraries have registered before, they
/// register again.
void replace_static_cudart();

}  // namespace cudash::cudart
