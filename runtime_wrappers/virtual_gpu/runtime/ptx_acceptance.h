// Whether the driver of a real GPU would load PTX text. The virtual GPU executes more than that: newer versions, code
// for newer devices, kernels with mistakes in parts that never run.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu::runtime {

struct Unloadable {
    cudaError_t error = cudaErrorInvalidPtx;
    std::string reason;
};

/// Why it would not, with the code that an H200 answers when something of the text is first asked for.
std::optional<Unloadable> why_not_loadable(std::string_view ptx, const Profile& profile);

}  // namespace cudash::virtual_gpu::runtime
