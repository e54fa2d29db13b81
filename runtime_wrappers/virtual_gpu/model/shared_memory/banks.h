// Shared memory banks: in how many passes (wavefronts) the banks serve a warp's access, which lanes wait, and for whom.
// One file a rule, by the generations that have it; the rules and their sources are in those files.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/model/warp_access.h"

namespace cudash::virtual_gpu {

/// What one bank gives, or takes, in one pass.
struct BankUse {
    std::uint64_t address;  ///< of the first byte in that bank
    std::uint32_t lanes;    ///< that it serves
    std::uint8_t bank, request, pass;
};

/// Lanes that the banks serve together. The requests of an access follow each other.
struct BankRequest {
    std::uint32_t lanes;
    std::uint32_t passes;  ///< 1: no conflict
    std::uint32_t part;    ///< 1.x: which 32 bits of wider words
};

/// How banks interleave. A bank serves in one pass all lanes whose bytes lie in one row of it.
struct BankLayout {
    unsigned banks = 32;
    unsigned bank_bytes = 4;  ///< neighbouring words of so many bytes are in neighbouring banks
    unsigned row_bytes = 128;
    unsigned bank(std::uint64_t address) const { return static_cast<unsigned>(address / bank_bytes % banks); }
    std::uint64_t row(std::uint64_t address) const { return address / row_bytes; }
};

struct BankConflicts {
    BankLayout layout;
    ShortList<BankRequest, 16> requests;  ///< only those with active lanes
    ShortList<BankUse, 256> uses;         ///< by request and pass
    unsigned ways = 0;                    ///< "n-way bank conflict" as the Programming Guide counts; 1: none

    /// Passes of all requests: the wavefronts of l1tex__data_pipe_lsu_wavefronts_mem_shared.
    unsigned wavefronts() const;
    /// Those that an access without conflicts would have had.
    unsigned ideal() const { return static_cast<unsigned>(requests.size()); }
    /// l1tex__data_bank_conflicts_pipe_lsu_mem_shared.
    unsigned conflicts() const { return wavefronts() - ideal(); }
    /// The pass, of its request, in which the last byte of the lane is served; 0: it need not wait.
    unsigned pass_of(unsigned lane) const;
    std::uint32_t waiting_lanes() const;
};

/// cudaDeviceSetSharedMemConfig: only compute capability 3.x has the choice.
enum class BankSize : std::uint8_t { four_bytes, eight_bytes };

BankConflicts bank_conflicts(const Profile& profile, const WarpAccess& access,
                             BankSize bank_size = BankSize::four_bytes);

/// 7.x and later: loads whose neighbouring lanes read the same words need half the requests.
bool joins_equal_lanes(const Profile& profile);

// The rules.
BankConflicts broadcast_word(const WarpAccess& access);
BankConflicts multicast(const WarpAccess& access);
BankConflicts double_width(const WarpAccess& access, BankSize bank_size);
BankConflicts phases(const WarpAccess& access, bool joins_equal_lanes);

// The same without the lists: called for accesses by the million.
struct Wavefronts {
    std::uint32_t all = 0, ideal = 0;
};
Wavefronts count_broadcast_word(const WarpAccess& access);
Wavefronts count_multicast(const WarpAccess& access);
Wavefronts count_double_width(const WarpAccess& access, BankSize bank_size);
Wavefronts count_phases(const WarpAccess& access, bool joins_equal_lanes);

/// For the rules: counts requests of `together` lanes each.
Wavefronts count_requests(const WarpAccess& access, const BankLayout& layout, unsigned together);
/// For the rules: adds a request whose lanes a bank serves row by row.
void add_request(BankConflicts& result, const WarpAccess& access, std::uint32_t lanes);

}  // namespace cudash::virtual_gpu
