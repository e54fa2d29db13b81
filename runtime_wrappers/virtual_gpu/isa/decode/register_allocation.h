// Places for registers in a frame. PTX names a new virtual register for almost every value; registers whose lifetimes
// do not overlap share a place, so that a warp's frame stays in the host's first-level cache.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/decode/control_flow.h"

namespace cudash::virtual_gpu {

/// What one instruction does with registers, by number.
struct RegisterUse {
    std::vector<std::uint32_t> reads, writes;
    bool may_keep = false;  ///< guarded: lanes may keep the old value
};

struct RegisterPlaces {
    std::vector<std::uint32_t> offsets;                            ///< by register
    std::uint32_t bytes = 0;                                       ///< of all
    std::uint32_t scratch = 0;                                     ///< 512 bytes that nobody reads
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cleared;  ///< offset and size of what may be read unwritten
};

/// `lane_bytes`: by register, 0 for predicates, 4, 8 or 16. Always live: registers that must keep their own place.
RegisterPlaces place_registers(const std::vector<unsigned>& lane_bytes, const std::vector<RegisterUse>& uses,
                               const std::vector<FlowBlock>& blocks, const std::vector<std::uint32_t>& always_live);

}  // namespace cudash::virtual_gpu
