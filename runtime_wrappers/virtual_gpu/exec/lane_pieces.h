// Copies in bulk: one lane's accesses, a piece of memory after the other.
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"

namespace cudash::virtual_gpu {

class LanePieces {
public:
    LanePieces(const Instruction* i, Warp& w, unsigned lane) : i_(i), w_(w), lane_(lane), mask_(w.mask) {
        w.mask = 1u << lane;
    }
    ~LanePieces() { w_.mask = mask_; }
    LanePieces(const LanePieces&) = delete;
    LanePieces& operator=(const LanePieces&) = delete;

    /// The bytes at `address`, which are read or written next; nullptr: a fault was raised.
    std::byte* reach(std::uint64_t address, const AccessShape& shape) {
        Access access;
        access.address[lane_] = address;
        if (!check_lanes(w_, i_, access, shape)) return nullptr;
        if (w_.observer) [[unlikely]]
            observe(w_, i_, access, shape);
        return access.at(lane_);
    }

private:
    const Instruction* i_;
    Warp& w_;
    unsigned lane_;
    std::uint32_t mask_;
};

}  // namespace cudash::virtual_gpu
