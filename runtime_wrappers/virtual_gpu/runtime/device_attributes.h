// cudaDeviceProp and cudaDeviceGetAttribute, both from one table.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu::runtime {

/// Bus addresses of virtual devices are 0000:NN:00.0; NN of the first one.
inline constexpr int first_bus = 1;

std::optional<int> attribute(const Profile& profile, int device, cudaDeviceAttr attribute);
cudaDeviceProp properties(const Profile& profile, int device);

/// Numerically lower is more urgent (recorded on an H200).
inline constexpr int least_stream_priority = 0, greatest_stream_priority = -5;

}  // namespace cudash::virtual_gpu::runtime
