// The modelled clock: how long work would take on a profile's GPU. A coarse model, the same in every run: launches and
// copies have a fixed cost and a throughput. Nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu {

enum class Link : std::uint8_t {
    pageable,  ///< between the device and pageable host memory, staged by the driver
    pinned,    ///< between the device and page-locked memory
    device,    ///< inside device memory
    fill       ///< memset: written only
};

double copy_time(const Profile& profile, Link link, std::uint64_t bytes);

/// What a kernel does, of all its warps together.
struct KernelWork {
    std::uint64_t blocks = 0, warp_instructions = 0;
    unsigned blocks_per_multiprocessor = 1, warps_per_block = 8;
    /// False: no more than the above is known.
    bool counted = false;
    /// Machine instructions, as far as they follow from PTX.
    double issued = 0;
    /// What each kind of unit has to do, in operations of a whole warp.
    double single = 0, integer = 0, doubles = 0, special = 0, tensor = 0, memory = 0;
    double shared_wavefronts = 0, l1_sectors = 0;
    double l1_lines = 0;  ///< of 128 bytes, by accesses
    double l2_sectors = 0, partial_writes = 0, dram_sectors = 0;
    double atomics = 0;      ///< sectors in global memory, for each sector that they touch
    double warp_cycles = 0;  ///< that one warp takes alone, on average
};

/// What holds a kernel up most.
enum class TimeBound : std::uint8_t {
    launch,
    blocks,
    issue,
    arithmetic,
    special,
    shared,
    l1,
    l2,
    dram,
    atomics,
    latency
};
inline constexpr std::size_t time_bounds = 11;
std::string_view name_of(TimeBound bound);

struct KernelTime {
    double nanoseconds = 0;
    TimeBound bound = TimeBound::launch;
    std::array<double, time_bounds> parts{};  ///< by TimeBound: nanoseconds if nothing else held it up
};
KernelTime modelled_time(const Profile& profile, const KernelWork& work);
inline double kernel_time(const Profile& profile, const KernelWork& work) {
    return modelled_time(profile, work).nanoseconds;
}

/// What the host spends in a call that starts work.
inline constexpr double call_time = 2000;

}  // namespace cudash::virtual_gpu
