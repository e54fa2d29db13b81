// A device profile: what a GPU is, as data. Sources: CUDA Programming Guide, appendix "Compute Capabilities";
// cuda_occupancy.h; cudaGetDeviceProperties recorded on a real H200 (tests/hardware).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::virtual_gpu {

/// One GPU model. Sizes are bytes, clocks are kHz. No member has a default: each profile states every one of them.
struct Profile {
    std::string_view name;       ///< "h200", as in --device virtual:h200
    std::string_view full_name;  ///< "NVIDIA H200", as cudaDeviceProp::name says
    unsigned cc_major, cc_minor;
    unsigned multiprocessors;
    unsigned max_threads_per_block;
    unsigned max_threads_per_multiprocessor;
    unsigned max_blocks_per_multiprocessor;
    unsigned max_block_x, max_block_y, max_block_z;
    unsigned max_grid_x, max_grid_y, max_grid_z;
    unsigned registers_per_block, registers_per_multiprocessor;
    unsigned max_registers_per_thread;
    std::uint32_t shared_per_block;        ///< without opt-in
    std::uint32_t shared_per_block_optin;  ///< the most that cudaFuncSetAttribute may allow
    std::uint32_t shared_per_multiprocessor;
    std::uint32_t shared_reserved_per_block;
    std::uint64_t global_memory;
    std::uint32_t constant_memory;
    std::uint32_t l2_size, persisting_l2_max;
    std::uint64_t access_policy_max_window;
    unsigned core_clock_khz, memory_clock_khz, memory_bus_bits;
    unsigned pitch_alignment, texture_alignment, allocation_alignment;
    unsigned copy_engines;
    bool unified_addressing, managed_memory, concurrent_managed_access;
    bool cooperative_launch;
    /// Multiprocessors of each unit whose blocks can form a cluster; empty: no clusters.
    std::span<const unsigned> cluster_units;
    /// The oldest target that NVRTC still compiles for is compute_75: older profiles run code compiled for it and
    /// enforce their own limits; newer ones use their own.
    unsigned nvrtc_arch;
    /// Diverged threads make independent progress (compute capability 7.0 and later).
    bool independent_threads() const { return cc_major >= 7; }
    /// How long `cycles` take; at 1 GHz where no clock is given.
    std::uint64_t nanoseconds(std::uint64_t cycles) const {
        const unsigned mhz = core_clock_khz / 1000;
        return cycles * 1000 / (mhz != 0 ? mhz : 1000);
    }
};

/// All profiles, in the order in which `cudash doctor` lists them; the first is the default.
std::span<const Profile> profiles();

/// The limits of compute capability 9.0, and of no model: without memory, caches and clocks. For tests.
const Profile& unnamed_profile();

/// The profile of that name, or nullptr.
const Profile* find_profile(std::string_view name);

}  // namespace cudash::virtual_gpu
