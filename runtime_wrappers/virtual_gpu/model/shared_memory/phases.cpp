// Compute capability 5.x and later (CUDA C++ Programming Guide, "Compute Capability 5.x, Shared Memory", which the
// later ones refer to): 32 banks of 32 bits; no conflict "between two threads that access any address within the same
// 32-bit word". Wider words come in phases of 128 bytes: 64-bit ones by half-warps, 128-bit ones by quarter-warps.
//
// 7.x and later: where the lanes n and n^1 of every pair, or n and n^2, read the same word (or one of them is
// inactive), a load of wide words needs half the phases, each of twice the lanes. Recorded on an H200 with Nsight
// Compute for 192 patterns of 64- and 128-bit accesses: the counters are those of this rule without exception, and
// stores have none of it (tests/hardware/warp_accesses_h200.txt).
#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"

namespace cudash::virtual_gpu {
namespace {

bool pairs_agree(const WarpAccess& access, unsigned distance) {
    bool agree = true;
    for_each_active_lane(access.mask, [&](unsigned lane) {
        const unsigned other = lane ^ distance;
        agree = agree && (!access.active(other) || access.addresses[lane] == access.addresses[other]);
    });
    return agree;
}

unsigned lanes_of_phase(const WarpAccess& access, bool joins_equal_lanes) {
    if (access.size <= 4) return lanes_per_warp;
    unsigned lanes = 128 / access.size;
    if (joins_equal_lanes && !access.store && (pairs_agree(access, 1) || pairs_agree(access, 2))) lanes *= 2;
    return lanes;
}

}  // namespace

BankConflicts phases(const WarpAccess& access, bool joins_equal_lanes) {
    BankConflicts result;
    const unsigned together = lanes_of_phase(access, joins_equal_lanes);
    for (unsigned first = 0; first < lanes_per_warp; first += together)
        add_request(result, access, access.mask & lane_range(first, together));
    return result;
}

Wavefronts count_phases(const WarpAccess& access, bool joins_equal_lanes) {
    return count_requests(access, {}, lanes_of_phase(access, joins_equal_lanes));
}

}  // namespace cudash::virtual_gpu
