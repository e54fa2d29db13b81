// Compute capability 2.x (CUDA C Programming Guide 4.2, F.4.3): 32 banks of 32 bits; "A shared memory request for a
// warp does not generate a bank conflict between two threads that access any address within the same 32-bit word [...]
// unlike for devices of compute capability 1.x, multiple words can be broadcast in a single transaction". "For 64-bit
// accesses, a bank conflict only occurs if two threads in either of the half-warps access different addresses belonging
// to the same bank." "The majority of 128-bit accesses will cause 2-way bank conflicts, even if no two threads in a
// quarter-warp access different addresses belonging to the same bank. Therefore, to determine the ways of bank
// conflicts, one must add 1 to the maximum number of threads in a quarter-warp that access different addresses
// belonging to the same bank."
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"

namespace cudash::virtual_gpu {

BankConflicts multicast(const WarpAccess& access) {
    BankConflicts result;
    const unsigned together = access.size <= 4 ? lanes_per_warp : 128 / access.size;
    for (unsigned first = 0; first < lanes_per_warp; first += together)
        add_request(result, access, access.mask & lane_range(first, together));
    if (access.size >= 16 && result.ways != 0) ++result.ways;
    return result;
}

Wavefronts count_multicast(const WarpAccess& access) {
    return count_requests(access, {}, access.size <= 4 ? lanes_per_warp : 128 / access.size);
}

}  // namespace cudash::virtual_gpu
