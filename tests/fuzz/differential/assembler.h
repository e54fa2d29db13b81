// CUBINs of random kernels, made in processes of their own: the assembler of CUDA 13.0, in ptxas and in NVRTC, crashes
// on some kernels (that of seed 442 is one), and would take all others with it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime_wrappers/result.h"

namespace cudash::fuzz {

/// Whether the assembler optimises. Both must compute the same.
enum class Assembly { optimised, plain };

/// One module of the kernels of `count` seeds from `first_seed` on: this program, started again, runs assemble().
Result<std::string> assemble_apart(std::uint64_t first_seed, std::uint64_t count, Assembly assembly);

/// Writes the CUBIN to standard output, or why there is none; the exit code says which.
int assemble(std::uint64_t first_seed, std::uint64_t count, Assembly assembly);

}  // namespace cudash::fuzz
