#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"

#include <algorithm>

namespace cudash::virtual_gpu {

unsigned BankConflicts::wavefronts() const {
    unsigned sum = 0;
    for (const BankRequest& each : requests) sum += each.passes;
    return sum;
}

unsigned BankConflicts::pass_of(unsigned lane) const {
    unsigned last = 0;
    for (const BankUse& use : uses)
        if (use.lanes >> lane & 1) last = std::max<unsigned>(last, use.pass);
    return last;
}

std::uint32_t BankConflicts::waiting_lanes() const {
    std::uint32_t waiting = 0;
    for (const BankUse& use : uses)
        if (use.pass > 0) waiting |= use.lanes;
    return waiting;
}

void add_request(BankConflicts& result, const WarpAccess& access, std::uint32_t lanes) {
    if (lanes == 0) return;
    const BankLayout& layout = result.layout;
    const auto request = static_cast<std::uint8_t>(result.requests.size());
    const std::size_t before = result.uses.size();
    unsigned rows[64] = {};  // by bank, until now
    unsigned passes = 1;
    auto use = [&](std::uint64_t address, unsigned lane) {
        const unsigned bank = layout.bank(address);
        for (std::size_t i = before; i < result.uses.size(); ++i) {
            BankUse& known = result.uses[i];
            if (known.bank != bank || layout.row(known.address) != layout.row(address)) continue;
            known.lanes |= 1u << lane;
            return;
        }
        const unsigned pass = rows[bank]++;
        passes = std::max(passes, pass + 1);
        result.uses.push_back({address / layout.bank_bytes * layout.bank_bytes, 1u << lane,
                               static_cast<std::uint8_t>(bank), request, static_cast<std::uint8_t>(pass)});
    };
    for_each_active_lane(lanes, [&](unsigned lane) {
        const std::uint64_t begin = access.addresses[lane];
        for (std::uint64_t at = begin; at < begin + access.size; at += layout.bank_bytes) use(at, lane);
    });
    std::stable_sort(result.uses.begin() + before, result.uses.end(),
                     [](const BankUse& a, const BankUse& b) { return a.pass < b.pass; });
    result.requests.push_back({lanes, passes, 0});
    result.ways = std::max(result.ways, passes);
}

Wavefronts count_requests(const WarpAccess& access, const BankLayout& layout, unsigned together) {
    // Accesses are aligned to their size: the neighbouring banks that a wide word needs are as good as one wide bank.
    const std::uint32_t unit = std::max(layout.bank_bytes, access.size);
    const std::uint32_t banks = layout.banks * layout.bank_bytes / unit;
    Wavefronts result;
    for (unsigned first = 0; first < lanes_per_warp; first += together) {
        const std::uint32_t lanes = access.mask & lane_range(first, together);
        if (lanes == 0) continue;
        // As many passes as the bank has rows to serve that has most of them.
        std::uint64_t rows[lanes_per_warp][lanes_per_warp];
        std::uint8_t distinct[lanes_per_warp] = {};
        std::uint32_t passes = 0;
        for_each_active_lane(lanes, [&](unsigned lane) {
            const std::uint64_t address = access.addresses[lane], row = layout.row(address);
            const auto bank = static_cast<unsigned>(address / unit % banks);
            const std::uint8_t known = distinct[bank];
            for (unsigned i = 0; i < known; ++i)
                if (rows[bank][i] == row) return;
            rows[bank][known] = row;
            distinct[bank] = static_cast<std::uint8_t>(known + 1);
            passes = std::max<std::uint32_t>(passes, known + 1);
        });
        result.all += passes;
        ++result.ideal;
    }
    return result;
}

bool joins_equal_lanes(const Profile& profile) {
    return profile.cc_major >= 7;
}

BankConflicts bank_conflicts(const Profile& profile, const WarpAccess& access, BankSize bank_size) {
    if (profile.cc_major < 2) return broadcast_word(access);
    if (profile.cc_major < 3) return multicast(access);
    if (profile.cc_major < 5) return double_width(access, bank_size);
    return phases(access, joins_equal_lanes(profile));
}

}  // namespace cudash::virtual_gpu
