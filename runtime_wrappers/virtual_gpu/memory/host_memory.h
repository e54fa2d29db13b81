// The memory of the computer, which the virtual GPU's is a part of.
#pragma once

#include <cstdint>

namespace cudash::virtual_gpu {

/// What the host could still give without swapping, in bytes.
std::uint64_t available_host_memory();

}  // namespace cudash::virtual_gpu
