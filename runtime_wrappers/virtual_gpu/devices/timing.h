// How fast the parts of a GPU are: what the modelled time of kernels is made of. For h200 fitted to times and counters
// recorded on one (tests/hardware/counters); for the others the published throughputs of their generation
// (Programming Guide, "Arithmetic Instructions") with latencies of microbenchmarks of that generation.
#pragma once

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu {

/// Rates are per clock cycle of one multiprocessor, latencies are cycles, times are nanoseconds.
struct Timing {
    double schedulers = 4;      ///< warp instructions issued
    double lanes_single = 128;  ///< 32-bit floating-point operations
    double lanes_integer = 64;  ///< 32-bit integer arithmetic
    double lanes_double = 64;
    double lanes_special = 16;   ///< reciprocals, roots, exponentials, sines
    double lanes_tensor = 1234;  ///< multiplications of 16 bits by mma, from 7.0 on; wgmma does more
    double lanes_memory = 32;    ///< threads whose loads and stores are taken in
    double l1_sectors = 4;       ///< of 32 bytes
    double l1_lines = 1;         ///< of 128 bytes, looked up
    double shared_wavefronts = 1;
    double l2_bytes = 5500;    ///< bytes per nanosecond, of the whole device
    double l2_partial = 2200;  ///< the same, of sectors that are written in part
    double dram_share = 0.9;   ///< of the peak bandwidth that is reached
    double atomic_again = 10;  ///< nanoseconds between atomics on one sector
    double latency_arithmetic = 4, latency_double = 8, latency_special = 20, latency_shared = 25;
    double latency_tensor = 33;
    double latency_l1 = 38, latency_l2 = 260, latency_dram = 620;
    double latency_barrier = 14, barrier_warp = 2;  ///< and as much more for each warp of the block
    double launch = 2200;      ///< from the start of a launch to its first instruction, and from its last to its end
    double block_issue = 158;  ///< cycles from one block's start to the next, on one multiprocessor
    double block_start = 400;  ///< cycles until a block's warps work, and until its place is free again
};

const Timing& timing_of(const Profile& profile);

}  // namespace cudash::virtual_gpu
