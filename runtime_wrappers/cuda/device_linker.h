// Code whose kernels launch kernels calls functions of libcudadevrt, with which nvcc's -rdc=true links it. Here the
// driver does so when the code is loaded (CUDA Driver API, "Module Management": cuLinkCreate).
#pragma once

#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/result.h"

namespace cudash::cuda {

/// It is PTX that calls them, or a CUBIN of -rdc=true.
bool is_to_be_linked(const nvrtc::Artifact& code);

/// The same code with what it calls, as a CUBIN. A context must be current. Errors: "device-link".
Result<std::string> linked_with_device_runtime(const nvrtc::Artifact& code);

}  // namespace cudash::cuda
