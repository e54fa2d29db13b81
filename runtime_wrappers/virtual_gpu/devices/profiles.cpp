// The profiles. h200 is recorded from the device itself (cudaGetDeviceProperties, cudaDeviceGetAttribute); the limits
// of the others are those of the Programming Guide's compute capability tables and of cuda_occupancy.h, sizes and
// clocks those of NVIDIA's data sheets and deviceQuery. Persisting L2 of a100 and rtx3090 follows the ratio recorded
// elsewhere.
#include <algorithm>
#include <array>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint32_t KiB = 1024, MiB = 1024 * KiB;

// As follows from what an H200 answers to cudaOccupancyMaxActiveClusters (tests/api/calls/clusters_h200.txt).
constexpr unsigned h200_units[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};

constexpr Profile h200 = {
    .name = "h200",
    .full_name = "NVIDIA H200",
    .global_memory = 150109880320,
    .l2_size = 60 * MiB,
    .persisting_l2_max = 39321600,
    .access_policy_max_window = 134217728,
    .core_clock_khz = 1980000,
    .memory_clock_khz = 3201000,
    .memory_bus_bits = 6016,
    .cluster_units = h200_units,
};

constexpr Profile a100 = {
    .name = "a100",
    .full_name = "NVIDIA A100-SXM4-40GB",
    .cc_major = 8,
    .cc_minor = 0,
    .multiprocessors = 108,
    .shared_per_block_optin = 163 * KiB,
    .shared_per_multiprocessor = 164 * KiB,
    .global_memory = 42505273344,
    .l2_size = 40 * MiB,
    .persisting_l2_max = 25 * MiB,
    .access_policy_max_window = 134213632,
    .core_clock_khz = 1410000,
    .memory_clock_khz = 1215000,
    .memory_bus_bits = 5120,
    .nvrtc_arch = 80,
};

constexpr Profile rtx3090 = {
    .name = "rtx3090",
    .full_name = "NVIDIA GeForce RTX 3090",
    .cc_major = 8,
    .cc_minor = 6,
    .multiprocessors = 82,
    .max_threads_per_multiprocessor = 1536,
    .max_blocks_per_multiprocessor = 16,
    .shared_per_block_optin = 99 * KiB,
    .shared_per_multiprocessor = 100 * KiB,
    .global_memory = 25438126080,
    .l2_size = 6 * MiB,
    .persisting_l2_max = 4325376,
    .access_policy_max_window = 134213632,
    .core_clock_khz = 1695000,
    .memory_clock_khz = 9751000,
    .memory_bus_bits = 384,
    .copy_engines = 2,
    .nvrtc_arch = 86,
};

constexpr Profile v100 = {
    .name = "v100",
    .full_name = "Tesla V100-SXM2-16GB",
    .cc_major = 7,
    .cc_minor = 0,
    .multiprocessors = 80,
    .shared_per_block_optin = 96 * KiB,
    .shared_per_multiprocessor = 96 * KiB,
    .shared_reserved_per_block = 0,
    .global_memory = 16914055168,
    .l2_size = 6 * MiB,
    .core_clock_khz = 1530000,
    .memory_clock_khz = 877000,
    .memory_bus_bits = 4096,
    .copy_engines = 5,
    .nvrtc_arch = 75,
};

constexpr Profile gtx980 = {
    .name = "gtx980",
    .full_name = "GeForce GTX 980",
    .cc_major = 5,
    .cc_minor = 2,
    .multiprocessors = 16,
    .shared_per_block_optin = 48 * KiB,
    .shared_per_multiprocessor = 96 * KiB,
    .shared_reserved_per_block = 0,
    .global_memory = 4233035776,
    .l2_size = 2 * MiB,
    .core_clock_khz = 1216000,
    .memory_clock_khz = 3505000,
    .memory_bus_bits = 256,
    .copy_engines = 2,
    .concurrent_managed_access = false,
    .cooperative_launch = false,
    .nvrtc_arch = 75,
};

constexpr Profile k20 = {
    .name = "k20",
    .full_name = "Tesla K20c",
    .cc_major = 3,
    .cc_minor = 5,
    .multiprocessors = 13,
    .max_blocks_per_multiprocessor = 16,
    .shared_per_block_optin = 48 * KiB,
    .shared_per_multiprocessor = 48 * KiB,
    .shared_reserved_per_block = 0,
    .global_memory = 5032706048,
    .l2_size = 1280 * KiB,
    .core_clock_khz = 706000,
    .memory_clock_khz = 2600000,
    .memory_bus_bits = 320,
    .copy_engines = 2,
    .concurrent_managed_access = false,
    .cooperative_launch = false,
    .nvrtc_arch = 75,
};

constexpr Profile c2050 = {
    .name = "c2050",
    .full_name = "Tesla C2050",
    .cc_major = 2,
    .cc_minor = 0,
    .multiprocessors = 14,
    .max_threads_per_multiprocessor = 1536,
    .max_blocks_per_multiprocessor = 8,
    .max_grid_x = 65535,
    .registers_per_block = 32768,
    .registers_per_multiprocessor = 32768,
    .max_registers_per_thread = 63,
    .shared_per_block_optin = 48 * KiB,
    .shared_per_multiprocessor = 48 * KiB,
    .shared_reserved_per_block = 0,
    .global_memory = 2817982464,
    .l2_size = 768 * KiB,
    .core_clock_khz = 1147000,
    .memory_clock_khz = 1500000,
    .memory_bus_bits = 384,
    .copy_engines = 2,
    .managed_memory = false,
    .concurrent_managed_access = false,
    .cooperative_launch = false,
    .nvrtc_arch = 75,
};

constexpr Profile tesla_c1060 = {
    .name = "tesla-c1060",
    .full_name = "Tesla C1060",
    .cc_major = 1,
    .cc_minor = 3,
    .multiprocessors = 30,
    .max_threads_per_block = 512,
    .max_threads_per_multiprocessor = 1024,
    .max_blocks_per_multiprocessor = 8,
    .max_block_x = 512,
    .max_block_y = 512,
    .max_grid_x = 65535,
    .max_grid_z = 1,
    .registers_per_block = 16384,
    .registers_per_multiprocessor = 16384,
    .max_registers_per_thread = 124,
    .shared_per_block = 16 * KiB,
    .shared_per_block_optin = 16 * KiB,
    .shared_per_multiprocessor = 16 * KiB,
    .shared_reserved_per_block = 0,
    .global_memory = 4294770688,
    .core_clock_khz = 1296000,
    .memory_clock_khz = 800000,
    .memory_bus_bits = 512,
    .pitch_alignment = 256,
    .texture_alignment = 256,
    .allocation_alignment = 256,
    .copy_engines = 1,
    .unified_addressing = false,
    .managed_memory = false,
    .concurrent_managed_access = false,
    .cooperative_launch = false,
    .nvrtc_arch = 75,
};

// "Device D" of the textbook exercise on memory as a limit to parallelism: 1,536 threads, 16,384 registers, 16 KB of
// shared memory and 8 blocks per multiprocessor. No such device was built; what the exercise leaves open is that of
// compute capability 2.0, the generation with 1,536 threads per multiprocessor.
constexpr Profile textbook_d = {
    .name = "textbook-d",
    .full_name = "Textbook device D",
    .cc_major = 2,
    .cc_minor = 0,
    .multiprocessors = 16,
    .max_threads_per_multiprocessor = 1536,
    .max_blocks_per_multiprocessor = 8,
    .max_grid_x = 65535,
    .registers_per_block = 16384,
    .registers_per_multiprocessor = 16384,
    .max_registers_per_thread = 63,
    .shared_per_block = 16 * KiB,
    .shared_per_block_optin = 16 * KiB,
    .shared_per_multiprocessor = 16 * KiB,
    .shared_reserved_per_block = 0,
    .global_memory = 1024ull * MiB,
    .l2_size = 768 * KiB,
    .core_clock_khz = 1000000,
    .memory_clock_khz = 1000000,
    .memory_bus_bits = 256,
    .copy_engines = 1,
    .managed_memory = false,
    .concurrent_managed_access = false,
    .cooperative_launch = false,
    .nvrtc_arch = 75,
};

constexpr std::array all = {h200, a100, rtx3090, v100, gtx980, k20, c2050, tesla_c1060, textbook_d};

}  // namespace

std::span<const Profile> profiles() {
    return all;
}

const Profile* find_profile(std::string_view name) {
    auto found = std::ranges::find(all, name, &Profile::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace cudash::virtual_gpu
