// A device profile: what a GPU is, as data. Sources: CUDA Programming Guide, appendix "Compute Capabilities";
// cuda_occupancy.h; cudaGetDeviceProperties recorded on a real H200 (tests/hardware).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::virtual_gpu {

/// One GPU model. Sizes are bytes, clocks are kHz.
struct Profile {
    std::string_view name;       ///< "h200", as in --device virtual:h200
    std::string_view full_name;  ///< "NVIDIA H200", as cudaDeviceProp::name says
    unsigned cc_major = 9, cc_minor = 0;
    unsigned multiprocessors = 132;
    unsigned max_threads_per_block = 1024;
    unsigned max_threads_per_multiprocessor = 2048;
    unsigned max_blocks_per_multiprocessor = 32;
    unsigned max_block_x = 1024, max_block_y = 1024, max_block_z = 64;
    unsigned max_grid_x = 2147483647, max_grid_y = 65535, max_grid_z = 65535;
    unsigned registers_per_block = 65536, registers_per_multiprocessor = 65536;
    unsigned max_registers_per_thread = 255;
    std::uint32_t shared_per_block = 49152;         ///< without opt-in
    std::uint32_t shared_per_block_optin = 232448;  ///< the most that cudaFuncSetAttribute may allow
    std::uint32_t shared_per_multiprocessor = 233472;
    std::uint32_t shared_reserved_per_block = 1024;
    std::uint64_t global_memory = 0;
    std::uint32_t constant_memory = 65536;
    std::uint32_t l2_size = 0, persisting_l2_max = 0;
    std::uint64_t access_policy_max_window = 0;
    unsigned core_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
    unsigned pitch_alignment = 512, texture_alignment = 512, allocation_alignment = 512;
    unsigned copy_engines = 3;
    bool unified_addressing = true, managed_memory = true, concurrent_managed_access = true;
    bool cooperative_launch = true;
    /// Multiprocessors of each unit whose blocks can form a cluster; empty: no clusters.
    std::span<const unsigned> cluster_units{};
    /// The oldest target that NVRTC still compiles for is compute_75: older profiles run code compiled for it and
    /// enforce their own limits; newer ones use their own.
    unsigned nvrtc_arch = 90;
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

/// The profile of that name, or nullptr.
const Profile* find_profile(std::string_view name);

}  // namespace cudash::virtual_gpu
