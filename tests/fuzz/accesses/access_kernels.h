// Random kernels with one access each that may go anywhere: before, behind and around every space, by every kind of
// instruction, in every form that the decoder has for it. What must come of it is worked out thread by thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cudash::fuzz {

/// The kernel of a seed, as PTX of the form that runs all warps of a block together where it can.
std::string access_kernel(std::uint64_t seed);

/// Runs the seed's kernel as plain, affine and lockstep instructions, observed by no checker, by all, and by all for a
/// while. What differs from what must come of it: the finding, its line or its thread; nothing if all is well.
std::optional<std::string> try_access_kernel(std::uint64_t seed);

}  // namespace cudash::fuzz
