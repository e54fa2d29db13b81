// Compute capability 3.x (CUDA C Programming Guide 4.2, F.5.3): "Shared memory has 32 banks with two addressing modes
// [...] Each bank has a bandwidth of 64 bits per clock cycle. 64-Bit Mode: Successive 64-bit words map to successive
// banks. A shared memory request for a warp does not generate a bank conflict between two threads that access any
// address within the same 64-bit word. 32-Bit Mode: Successive 32-bit words map to successive banks. A shared memory
// request for a warp does not generate a bank conflict between two threads that access any address within the same
// 32-bit word or within two 32-bit words whose indices i and j are in the same 64-word aligned segment (i.e., a segment
// whose first index is a multiple of 64) and such that j=i+32". In both modes a row of all banks is 256 bytes. That
// wider words than 64 bits go by half-warps follows from the bandwidth.
#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"

namespace cudash::virtual_gpu {

namespace {

BankLayout layout_of(BankSize bank_size) {
    return {32, bank_size == BankSize::eight_bytes ? 8u : 4u, 256};
}
unsigned lanes_together(const WarpAccess& access) {
    return access.size <= 8 ? lanes_per_warp : 256 / access.size;
}

}  // namespace

BankConflicts double_width(const WarpAccess& access, BankSize bank_size) {
    BankConflicts result;
    result.layout = layout_of(bank_size);
    const unsigned together = lanes_together(access);
    for (unsigned first = 0; first < lanes_per_warp; first += together)
        add_request(result, access, access.mask & lane_range(first, together));
    return result;
}

Wavefronts count_double_width(const WarpAccess& access, BankSize bank_size) {
    return count_requests(access, layout_of(bank_size), lanes_together(access));
}

}  // namespace cudash::virtual_gpu
