// Compute capability 1.x (CUDA C Programming Guide 4.2, F.3.3): 16 banks; "A shared memory request for a warp is split
// into two memory requests, one for each half-warp, that are issued independently." Of a read, "at each step, the
// subset is built from the remaining addresses that have yet to be serviced using the following procedure:
//  - Select one of the words pointed to by the remaining addresses as the broadcast word;
//  - Include in the subset: All addresses that are within the broadcast word, One address for each bank (other than the
//    broadcasting bank) pointed to by the remaining addresses.
// Which word is selected as the broadcast word and which address is picked up for each bank at each cycle are
// unspecified." The model takes those of the lowest lanes.
// "If a non-atomic instruction executed by a warp writes to the same location in shared memory for more than one of the
// threads of the warp, only one thread per half-warp performs a write".
// "Accesses that are larger than 32-bit per thread are split into 32-bit accesses that typically generate bank
// conflicts."
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"

namespace cudash::virtual_gpu {
namespace {

/// Serves `lanes`, whose words begin `offset` bytes after their addresses, and returns in how many steps.
unsigned serve(BankConflicts& result, const WarpAccess& access, std::uint32_t lanes, std::uint32_t offset) {
    const BankLayout& layout = result.layout;
    const auto request = static_cast<std::uint8_t>(result.requests.size());
    auto address = [&](unsigned lane) { return access.addresses[lane] + offset; };
    unsigned steps = 0;
    for (std::uint32_t remaining = lanes; remaining != 0; ++steps) {
        std::uint32_t served = 0, banks = 0;
        auto take = [&](unsigned lane, auto&& goes_along) {
            BankUse use{address(lane) / layout.bank_bytes * layout.bank_bytes, 1u << lane,
                        static_cast<std::uint8_t>(layout.bank(address(lane))), request,
                        static_cast<std::uint8_t>(steps)};
            for_each_active_lane(remaining & ~use.lanes, [&](unsigned other) {
                if (goes_along(other)) use.lanes |= 1u << other;
            });
            banks |= 1u << use.bank;
            served |= use.lanes;
            result.uses.push_back(use);
        };
        const auto lowest = static_cast<unsigned>(std::countr_zero(remaining));
        if (!access.store) take(lowest, [&](unsigned other) { return address(other) / 4 == address(lowest) / 4; });
        for_each_active_lane(remaining, [&](unsigned lane) {
            if ((banks >> layout.bank(address(lane)) & 1) != 0) return;
            take(lane, [&](unsigned other) { return access.store && address(other) == address(lane); });
        });
        remaining &= ~served;
    }
    return steps;
}

}  // namespace

BankConflicts broadcast_word(const WarpAccess& access) {
    BankConflicts result;
    result.layout = {16, 4, 64};
    const std::uint32_t parts = std::max(1u, access.size / 4);
    for (unsigned first = 0; first < lanes_per_warp; first += 16) {
        const std::uint32_t lanes = access.mask & lane_range(first, 16);
        if (lanes == 0) continue;
        for (std::uint32_t part = 0; part < parts; ++part) {
            const unsigned steps = serve(result, access, lanes, 4 * part);
            result.requests.push_back({lanes, steps, part});
            result.ways = std::max(result.ways, steps);
        }
    }
    return result;
}

Wavefronts count_broadcast_word(const WarpAccess& access) {
    // The parts of wider words lie to each other as the words do: each needs as many steps.
    const std::uint32_t parts = std::max(1u, access.size / 4);
    Wavefronts result;
    for (unsigned first = 0; first < lanes_per_warp; first += 16) {
        std::uint32_t remaining = access.mask & lane_range(first, 16);
        if (remaining == 0) continue;
        result.ideal += parts;
        while (remaining != 0) {
            result.all += parts;
            const std::uint64_t word = access.addresses[static_cast<unsigned>(std::countr_zero(remaining))] / 4;
            std::uint64_t taken[16];
            std::uint32_t banks = 0, served = 0;
            if (!access.store) banks = 1u << word % 16;
            for_each_active_lane(remaining, [&](unsigned lane) {
                const std::uint64_t address = access.addresses[lane];
                const auto bank = static_cast<unsigned>(address / 4 % 16);
                if ((banks >> bank & 1) == 0) {
                    banks |= 1u << bank;
                    taken[bank] = address;
                } else if (access.store ? taken[bank] != address : address / 4 != word) {
                    return;
                }
                served |= 1u << lane;
            });
            remaining &= ~served;
        }
    }
    return result;
}

}  // namespace cudash::virtual_gpu
