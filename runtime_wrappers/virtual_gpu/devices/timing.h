// How fast the parts of a GPU are: what the modelled time of kernels is made of. For h200 fitted to times and counters
// recorded on one (tests/hardware/counters); for the others the published throughputs of their generation
// (Programming Guide, "Arithmetic Instructions") with latencies of microbenchmarks of that generation.
#pragma once

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu {

/// Rates are per clock cycle of one multiprocessor, latencies are cycles, times are nanoseconds. Each
/// row states every member.
struct Timing {
    double schedulers;     ///< warp instructions issued
    double lanes_single;   ///< 32-bit floating-point operations
    double lanes_integer;  ///< 32-bit integer arithmetic
    double lanes_double;
    double lanes_special;  ///< reciprocals, roots, exponentials, sines
    double lanes_tensor;   ///< multiplications of 16 bits by mma, from 7.0 on; wgmma does more
    double lanes_memory;   ///< threads whose loads and stores are taken in
    double l1_sectors;     ///< of 32 bytes
    double l1_lines;       ///< of 128 bytes, looked up
    double shared_wavefronts;
    double l2_bytes;      ///< bytes per nanosecond, of the whole device
    double l2_partial;    ///< the same, of sectors that are written in part
    double dram_share;    ///< of the peak bandwidth that is reached
    double atomic_again;  ///< nanoseconds between atomics on one sector
    double latency_arithmetic, latency_double, latency_special, latency_shared;
    double latency_tensor;
    double latency_l1, latency_l2, latency_dram;
    double latency_barrier, barrier_warp;  ///< and as much more for each warp of the block
    double launch;       ///< from the start of a launch to its first instruction, and from its last to its end
    double block_issue;  ///< cycles from one block's start to the next, on one multiprocessor
    double block_start;  ///< cycles until a block's warps work, and until its place is free again
};

const Timing& timing_of(const Profile& profile);

}  // namespace cudash::virtual_gpu
