// The modelled time of a launch that was counted.
#pragma once

#include "runtime_wrappers/virtual_gpu/profile/launch_profile.h"

namespace cudash::virtual_gpu {

/// What the launch asked of a device's units, by its rules.
KernelWork work_of(const LaunchProfile& launch, const Profile& device);

inline KernelTime time_of(const LaunchProfile& launch, const Profile& device) {
    return modelled_time(device, work_of(launch, device));
}

}  // namespace cudash::virtual_gpu
