// The modelled clock: how long work would take on a profile's GPU. A coarse model, the same in every run: launches and
// copies have a fixed cost and a throughput. Nanoseconds.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu {

enum class Link : std::uint8_t {
    pageable,  ///< between the device and pageable host memory, staged by the driver
    pinned,    ///< between the device and page-locked memory
    device,    ///< inside device memory
    fill       ///< memset: written only
};

double copy_time(const Profile& profile, Link link, std::uint64_t bytes);

struct KernelWork {
    std::uint64_t blocks = 0, warp_instructions = 0;
    unsigned blocks_per_multiprocessor = 1;
};
double kernel_time(const Profile& profile, const KernelWork& work);

/// What the host spends in a call that starts work.
inline constexpr double call_time = 2000;

}  // namespace cudash::virtual_gpu
